import { archiveConnection } from '../src/db/connection/connections.ts';
import type { ConnectionSnapshot } from '../src/domain/connection/snapshot.ts';
import { attempt } from './attempt.ts';
import type { Deps } from './deps.ts';
import { snapshotOf } from './snapshot.ts';
import { readRow, withRow } from './rows.ts';

export function connectionActivities(deps: Deps) {
  /** `now` comes from the workflow where the step is done at once: the server does not know of it. */
  const load = async (id: string, now = attempt().now): Promise<ConnectionSnapshot> =>
    snapshotOf(deps.pool, await readRow(deps.pool, id), now);

  /** Usually the API has archived the row before it told us; an operator's signal may come first. */
  async function archive(id: string): Promise<ConnectionSnapshot> {
    const { now } = attempt();
    const row = await withRow(deps.pool, id, (tx, before) => archiveConnection(tx, before, new Date(now)));
    return snapshotOf(deps.pool, row, now);
  }

  return { load, archive };
}
