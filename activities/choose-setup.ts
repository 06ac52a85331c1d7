import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import type { Move } from '../src/db/connection/save.ts';
import type { Queryable } from '../src/db/pool.ts';
import { coveringCredential, type CoveringCredential } from '../src/db/zone/credentials.ts';
import { hasConsented } from '../src/db/zone/domain-connect.ts';
import { isSetupByUs } from '../src/domain/connection/due-work.ts';
import { workFactsOf } from './snapshot.ts';

/** Facts that decide who adds the records of a connection that was just proved. */
export interface SetupFacts {
  /** The credential that may write for the hostname; null if there is none. */
  credential: string | null;
  /** Whether the customer has consented at the provider by Domain Connect. */
  consented: boolean;
}

/** Reads the facts. `known` is the credential if the caller has just read it; null if there is none. */
export async function setupFacts(
  db: Queryable,
  row: ConnectionRow,
  known?: CoveringCredential | null,
): Promise<SetupFacts> {
  const credential = known === undefined ? await coveringCredential(db, row.application_id, row.hostname) : known;
  const byUs = isSetupByUs(workFactsOf(row), { credential: credential?.id ?? null });
  return { credential: credential?.id ?? null, consented: !byUs && (await hasConsented(db, row)) };
}

/**
 * Chooses who adds the records of a connection that was just proved: the service if the application has a credential for
 * the hostname's zone, otherwise the customer. A credential that the provider refused before does not count.
 */
export function chosenSetup(row: ConnectionRow, at: number, { credential, consented }: SetupFacts): Move | undefined {
  if (row.state !== 'verified') return undefined;
  const serviceWrites = isSetupByUs(workFactsOf(row), { credential });
  const setup_type = serviceWrites || consented ? 'automatic' : 'manual';
  const now = new Date(at);
  return {
    trigger: serviceWrites ? 'credentialFound' : 'recordsAddedManually',
    change: { now, next_check_at: now, setup_type },
  };
}
