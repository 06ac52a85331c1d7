import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { getConnection, lockConnection } from '../src/db/connection/connections.ts';
import type { Pool, Tx } from '../src/db/pool.ts';
import type { Moved } from '../src/db/connection/transitions.ts';

/** Rows are never deleted, so an activity whose row is missing talks to the wrong database; trying again may heal that. */
function present(row: ConnectionRow | null, id: string): ConnectionRow {
  if (row === null) throw new Error(`Connection ${id} does not exist in this database.`);
  return row;
}

export const readRow = async (pool: Pool, id: string): Promise<ConnectionRow> =>
  present(await getConnection(pool, id), id);

/** Runs the body with the row locked: a request or another worker that wants to move it waits until the transaction has ended. */
export const withRow = <T>(pool: Pool, id: string, body: (tx: Tx, row: ConnectionRow) => Promise<T>): Promise<T> =>
  pool.transaction(async (tx) => body(tx, present(await lockConnection(tx, id), id)));

/** A locked row cannot have been moved by another transaction. */
export function movedRow(result: Moved): ConnectionRow {
  if (result.outcome !== 'moved') throw new Error(`A locked connection could not be moved: ${result.outcome}.`);
  return result.row;
}
