import type { ZoneRecord } from '../domain/zone/zone-record.ts';

/** Failures of calls to a DNS provider, in the same codes for every provider. */
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

/** Errors that a retry can fix. Every other error lasts until the tenant or the customer acts. */
const RETRYABLE: ReadonlySet<ProviderErrorCode> = new Set<ProviderErrorCode>(['rate_limited', 'transient']);

/**
 * A provider's refusal or missing answer. Tenants and histories may show the message, so it is built from redacted text
 * and has no `cause`: HTTP libraries put addresses and headers into their errors.
 */
export class ProviderError extends Error {
  readonly code: ProviderErrorCode;
  readonly retryable: boolean;
  /** Seconds that the provider asks us to wait; only with `rate_limited`, and only if the provider gave a time. */
  readonly retryAfterSeconds: number | undefined;
  /** Whether the zone may contain a part of the change: a write was sent and its outcome is unknown. */
  readonly mayHaveChanged: boolean;
  /** Records that this call removed before another writer overtook it; undefined if that is unknown. */
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

  /** Returns this failure as one after a write. `gone` are the records removed so far, if that is known. */
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
 * Writes; false if the provider refused with one of these codes: another writer was faster. Throws `transient` if a
 * part was written, because a repetition here would lose the list of removed records.
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

/** Returns the answer, or undefined if the provider reports that the thing does not exist. */
export async function ifFound<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ProviderError && NOT_FOUND.has(error.code)) return undefined;
    throw error;
  }
}

const NOT_FOUND: ReadonlySet<ProviderErrorCode> = new Set<ProviderErrorCode>(['zone_not_found', 'record_not_found']);
