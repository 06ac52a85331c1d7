import type { Pool, Tx } from '../pool.ts';
import type { ConnectionRow } from './connection-row.ts';
import { getConnection, lockConnection } from './connections.ts';
import type { Moved } from './transitions.ts';

/** Fails if the row is missing. Rows are never deleted, so this worker reads the wrong database. */
function present(row: ConnectionRow | null, id: string): ConnectionRow {
  if (row === null) throw new Error(`Connection ${id} does not exist in this database.`);
  return row;
}

export const readRow = async (pool: Pool, id: string): Promise<ConnectionRow> =>
  present(await getConnection(pool, id), id);

export const withRow = <T>(pool: Pool, id: string, body: (tx: Tx, row: ConnectionRow) => Promise<T>): Promise<T> =>
  pool.transaction(async (tx) => body(tx, present(await lockConnection(tx, id), id)));

/** Returns the row of a transition that cannot have lost a race, because the row was locked. */
export function movedRow(result: Moved): ConnectionRow {
  if (result.outcome !== 'moved') throw new Error(`A locked connection could not be moved: ${result.outcome}.`);
  return result.row;
}
