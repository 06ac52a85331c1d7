import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { archiveConnection, lockConnection, withCompanions } from '../db/connection/connections.ts';
import { recordCutOff } from '../db/edge/edges.ts';
import type { Pool, Tx } from '../db/pool.ts';
import { untilArchiveIsKnown } from '../edge/barrier.ts';

/**
 * Archives a connection and its companion as DELETE does, and returns when no edge that can be reached serves them any
 * more. Null when there is no such connection. `also` is part of the transaction, where something was archived.
 */
export async function archiveNow(
  pool: Pool,
  id: string,
  also: (tx: Tx, row: ConnectionRow, now: Date) => Promise<void> = () => Promise.resolve(),
): Promise<ConnectionRow | null> {
  const row = await pool.transaction(async (tx) => {
    const locked = await lockConnection(tx, id);
    if (locked === null || locked.state === 'archived') return locked;
    const now = new Date();
    const archived = await archiveConnection(tx, locked, now);
    await also(tx, archived, now);
    return archived;
  });
  if (row === null) return null;
  for (const connectionId of await withCompanions(pool, id)) {
    const missed = await untilArchiveIsKnown(pool, connectionId);
    if (missed !== null) await pool.transaction((tx) => recordCutOff(tx, connectionId, missed, new Date()));
  }
  return row;
}
