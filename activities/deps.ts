import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import type { Pool } from '../src/db/pool.ts';
import type { Certificates } from '../src/domain/certificate/certificate.ts';
import type { Checker } from '../src/domain/observation/check.ts';
import type { ProviderAccess } from '../src/provisioning/account.ts';

/** What activities work with; the graph that hands it to them is built in src/main. */
export interface Deps {
  pool: Pool;
  /** What writing in a customer's zone takes. */
  providerAccess: ProviderAccess;
  /** The real DNS, or the sandbox for names that live there. */
  checkerFor(row: ConnectionRow): Checker;
  certificatesFor(row: ConnectionRow): Certificates;
  /** In [0, 1); spreads the looks. */
  random(): number;
  /** A connection serves for the first time, so long after it was created. */
  noteLive(seconds: number): void;
  recordCheck(purpose: 'challenge' | 'records', verdict: 'match' | 'mismatch' | 'unknown'): void;
}
