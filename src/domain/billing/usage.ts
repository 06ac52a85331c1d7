import type { Environment } from '../connection/connection.ts';
import { isSandboxName } from '../hostname.ts';

/** Metered kinds of usage. Only the live environment is metered, except for API calls. */
export const USAGE_KINDS = ['connect', 'active_domain', 'cert', 'api_call'] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

/** Counted kinds. `test_connect` counts real hostnames in the test environment, which are limited but not billed. */
export const COUNTED_KINDS = [...USAGE_KINDS, 'test_connect'] as const;
export type CountedKind = (typeof COUNTED_KINDS)[number];

/** Returns the counter to which a new connection belongs; null for a sandbox hostname, which costs next to nothing. */
export function connectKindOf({ environment, hostname }: { environment: Environment; hostname: string }) {
  if (environment === 'live') return 'connect';
  return isSandboxName(hostname) ? null : 'test_connect';
}

/** A calendar month in UTC. Limits and counters restart with each month. */
export interface Period {
  /** YYYY-MM. */
  id: string;
  start: Date;
  /** First moment after the period. */
  end: Date;
}

export function periodAt(at: Date): Period {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  const start = new Date(Date.UTC(year, month, 1));
  return { id: start.toISOString().slice(0, 7), start, end: new Date(Date.UTC(year, month + 1, 1)) };
}

/** Returns the period for YYYY-MM. */
export const periodNamed = (id: string): Period => periodAt(new Date(`${id}-01T00:00:00Z`));

/** Returns how much of a request the limit grants. Without a limit everything is granted. */
export const granted = (wanted: number, used: number, limit: number | null): number =>
  limit === null ? wanted : Math.min(wanted, Math.max(0, limit - used));
