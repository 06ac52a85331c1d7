import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { archiveConnection, lockConnection, withCompanions } from '../db/connection/connections.ts';
import { recordCutOff } from '../db/edge/edges.ts';
import type { Pool, Tx } from '../db/pool.ts';
import { untilArchiveIsKnown } from '../edge/barrier.ts';
import type { InTransaction } from './route.ts';

/**
 * Archives a connection and its companion, which ends both for good, and waits until every reachable edge refuses them.
 * `also` runs in the transaction that archives.
 */
export async function archiveAndWait(
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
  if (row !== null) await waitForArchive(pool, (body) => pool.transaction(body), id);
  return row;
}

/**
 * Waits, after the commit, until no reachable edge serves the connection and its companions. The timeline records edges
 * that are cut off from the database, because they serve the connection a while longer.
 */
export async function waitForArchive(pool: Pool, inTransaction: InTransaction, id: string): Promise<void> {
  const ids = await inTransaction((tx) => withCompanions(tx, id));
  await Promise.all(
    ids.map(async (connectionId) => {
      const cutOffEdges = await untilArchiveIsKnown(pool, connectionId);
      if (cutOffEdges !== null) await inTransaction((tx) => recordCutOff(tx, connectionId, cutOffEdges, new Date()));
    }),
  );
}
