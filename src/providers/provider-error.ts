import type { ZoneRecord } from '../domain/zone/zone-record.ts';

/** What can go wrong between us and a DNS provider, in the same words for all of them. */
export const PROVIDER_ERROR_CODES = [
  'auth_failed',
  'forbidden_scope',
  'zone_not_found',
  'record_not_found',
  'already_exists',
  'rate_limited',
  'conflict',
  'validation',
  'transient',
  'plan_required',
] as const;

export type ProviderErrorCode = (typeof PROVIDER_ERROR_CODES)[number];

/** Asking again can only help when the provider was busy or out of reach; every other refusal stands until the tenant or the customer acts. */
const RETRYABLE: ReadonlySet<ProviderErrorCode> = new Set<ProviderErrorCode>(['rate_limited', 'transient']);

/**
 * A provider's refusal or silence. The message may be shown to the tenant and kept in workflow history, so it is made
 * from scrubbed text only and there is no `cause`: the libraries underneath put addresses and headers into theirs.
 */
export class ProviderError extends Error {
  readonly code: ProviderErrorCode;
  readonly retryable: boolean;
  /** Seconds the provider asks us to wait; only with `rate_limited`, and only if it said so. */
  readonly retryAfterSeconds: number | undefined;
  /** The zone may hold some of the change: a write was sent and its outcome is not known. */
  readonly mayHaveChanged: boolean;
  /** What this call took away before another writer overtook it; undefined where nobody can know. */
  readonly removed: readonly ZoneRecord[] | undefined;

  constructor(
    code: ProviderErrorCode,
    message: string,
    more: {
      retryAfterSeconds?: number | undefined;
      mayHaveChanged?: boolean;
      removed?: readonly ZoneRecord[] | undefined;
    } = {},
  ) {
    super(message);
    this.name = 'ProviderError';
    this.code = code;
    this.retryable = RETRYABLE.has(code);
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.mayHaveChanged = more.mayHaveChanged ?? false;
    this.removed = more.removed;
  }

  /** The same failure, met after something was written. What had gone by then is known unless the last call is in doubt. */
  afterChange(gone?: readonly ZoneRecord[]): ProviderError {
    const removed = this.retryable ? this.removed : (gone ?? this.removed);
    return new ProviderError(this.code, this.message, {
      retryAfterSeconds: this.retryAfterSeconds,
      mayHaveChanged: true,
      removed,
    });
  }
}

/**
 * Writes, and says whether it happened: false when a refusal of these kinds means that another writer was faster. Where a
 * part was written before that, what this call took away would be forgotten by trying again at once: the caller does.
 */
export async function writeUnlessOvertaken(
  codes: readonly ProviderErrorCode[],
  write: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (!(error instanceof ProviderError && codes.includes(error.code))) throw error;
    if (!error.mayHaveChanged) return false;
    throw new ProviderError('transient', error.message, { mayHaveChanged: true, removed: error.removed });
  }
}

/** The answer, or nothing when the provider says that there is no such thing. */
export async function ifFound<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ProviderError && NOT_FOUND.has(error.code)) return undefined;
    throw error;
  }
}

const NOT_FOUND: ReadonlySet<ProviderErrorCode> = new Set<ProviderErrorCode>(['zone_not_found', 'record_not_found']);
