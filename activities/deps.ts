import type { ConnectionRow } from '../src/db/connection-row.ts';
import type { Pool } from '../src/db/pool.ts';
import type { Certificates } from '../src/domain/certificate.ts';
import type { Lookout } from '../src/domain/look.ts';
import type { Desk } from '../src/hands/account.ts';

/** What activities work with; the graph that hands it to them is built in src/main. */
export interface Deps {
  pool: Pool;
  /** What writing in a customer's zone takes. */
  desk: Desk;
  /** The real DNS, or the sandbox for names that live there. */
  lookoutFor(row: ConnectionRow): Lookout;
  certificatesFor(row: ConnectionRow): Certificates;
  /** In [0, 1); spreads the looks. */
  random(): number;
  noteLook(purpose: 'challenge' | 'records', verdict: 'match' | 'mismatch' | 'unknown'): void;
}
