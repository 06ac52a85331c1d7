import type { Environment } from '../connection/connection.ts';
import { isSandboxName } from '../hostname.ts';

/** What is metered. Only what happens in the live environment counts, but for calls of the API. */
export const USAGE_KINDS = ['connect', 'active_domain', 'cert', 'api_call'] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

/**
 * Kinds that are counted. `test_connect` counts connects of real hostnames in the test environment: they are not billed,
 * but they cost as much as others, so the plan's limit sees them too.
 */
export const COUNTED_KINDS = [...USAGE_KINDS, 'test_connect'] as const;
export type CountedKind = (typeof COUNTED_KINDS)[number];

/** Returns the counter to which a new connection belongs; null for a sandbox hostname, which costs next to nothing. */
export function connectKindOf({ environment, hostname }: { environment: Environment; hostname: string }) {
  if (environment === 'live') return 'connect';
  return isSandboxName(hostname) ? null : 'test_connect';
}

/** A calendar month by UTC: limits and counters begin anew with each. */
export interface Period {
  /** YYYY-MM. */
  id: string;
  start: Date;
  /** The first moment that is no longer in it. */
  end: Date;
}

export function periodAt(at: Date): Period {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  const start = new Date(Date.UTC(year, month, 1));
  return { id: start.toISOString().slice(0, 7), start, end: new Date(Date.UTC(year, month + 1, 1)) };
}

/** The month that YYYY-MM names. */
export const periodNamed = (id: string): Period => periodAt(new Date(`${id}-01T00:00:00Z`));

/** What is left of a limit, and how much of it a request is granted. No limit grants everything. */
export const granted = (wanted: number, used: number, limit: number | null): number =>
  limit === null ? wanted : Math.min(wanted, Math.max(0, limit - used));
