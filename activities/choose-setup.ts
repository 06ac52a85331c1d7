import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { transition } from '../src/db/connection/transitions.ts';
import type { Tx } from '../src/db/pool.ts';
import { coveringCredential, type CoveringCredential } from '../src/db/zone/credentials.ts';
import { hasConsented } from '../src/db/zone/domain-connect.ts';
import { isSetupByUs } from '../src/domain/connection/due-work.ts';
import { movedRow } from './rows.ts';
import { workFactsOf } from './snapshot.ts';

/**
 * Chooses who adds the records of a connection that was just proved: the service if the application has a credential for
 * the hostname's zone, otherwise the customer. A credential that the provider refused before does not count. `known` is
 * the credential if the caller has just read it; null if there is none.
 */
export async function chooseSetupOf(
  tx: Tx,
  row: ConnectionRow,
  at: number,
  known?: CoveringCredential | null,
): Promise<ConnectionRow> {
  if (row.state !== 'verified') return row;
  const credential = known === undefined ? await coveringCredential(tx, row.application_id, row.hostname) : known;
  const serviceWrites = isSetupByUs(workFactsOf(row), { credential: credential?.id ?? null });
  const setup_type = serviceWrites || (await hasConsented(tx, row)) ? 'automatic' : 'manual';
  const trigger = serviceWrites ? 'credentialFound' : 'recordsAddedManually';
  const now = new Date(at);
  return movedRow(await transition(tx, row, trigger, { now, next_check_at: now, setup_type }));
}
