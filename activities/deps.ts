import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import type { Pool } from '../src/db/pool.ts';
import type { Certificates } from '../src/domain/certificate/certificate.ts';
import type { Checker } from '../src/domain/observation/check.ts';
import type { Lookup } from '../src/domain/observation/alias-path.ts';
import type { ProbeAccess } from '../src/cutover/probe.ts';
import type { Ordering } from '../src/ordering/steps.ts';
import type { StepSemaphore } from '../src/net/step-semaphore.ts';
import type { ProviderAccess } from '../src/provisioning/account.ts';

export interface Deps {
  pool: Pool;
  providerAccess: ProviderAccess;
  /** Returns the checker of the real DNS, or of the sandbox for a sandbox hostname. */
  checkerFor(row: ConnectionRow): Checker;
  /** Returns single lookups, some seconds old at most, of the real DNS, or of the sandbox for a sandbox hostname. */
  lookupFor(row: ConnectionRow, signal: AbortSignal): Lookup;
  /** Waits until a name server returns the challenge, for `forMs` at most. */
  awaitChallenge(row: ConnectionRow, forMs: number, signal: AbortSignal): Promise<boolean>;
  certificatesFor(row: ConnectionRow): Certificates;
  /** Whether a CNAME to an approved target can prove an imported hostname (IMPORT_CNAME_PROOF). */
  cnameProof: boolean;
  /** Lets tenants take turns with the steps of their setups. */
  turns: Pick<StepSemaphore, 'run'>;
  /** Orders certificates by ACME. */
  ordering: Ordering;
  /** Access of a cutover's probes to sites. */
  probes: ProbeAccess;
  /** A number in [0, 1) that spreads the checks over time. */
  random(): number;
  /** Records the seconds from creation until the connection served for the first time. */
  recordLive(seconds: number): void;
  recordCheck(purpose: 'challenge' | 'records', verdict: 'match' | 'mismatch' | 'unknown'): void;
}
