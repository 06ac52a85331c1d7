import { archiveConnection } from '../src/db/connection/connections.ts';
import type { ConnectionSnapshot } from '../src/domain/connection/snapshot.ts';
import { attempt } from './attempt.ts';
import type { Deps } from './deps.ts';
import { snapshotOf } from './snapshot.ts';
import { readRow, withRow } from '../src/db/connection/rows.ts';

export function connectionActivities(deps: Deps) {
  /** Loads the connection. A local activity cannot read the server's clock, so the workflow passes `now`. */
  const load = async (id: string, now = attempt().now): Promise<ConnectionSnapshot> =>
    snapshotOf(deps.pool, await readRow(deps.pool, id), now);

  /** Archives the connection. The API has usually done so already, but an operator's signal can arrive first. */
  async function archive(id: string): Promise<ConnectionSnapshot> {
    const { now } = attempt();
    const row = await withRow(deps.pool, id, (tx, before) => archiveConnection(tx, before, new Date(now)));
    return snapshotOf(deps.pool, row, now);
  }

  return { load, archive };
}
