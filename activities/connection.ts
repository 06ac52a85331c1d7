import { archiveConnection } from '../src/db/connections.ts';
import type { Glimpse } from '../src/domain/glimpse.ts';
import { attempt } from './attempt.ts';
import type { Deps } from './deps.ts';
import { glimpseOf } from './glimpse-of.ts';
import { readRow, withRow } from './rows.ts';

export function connectionActivities(deps: Deps) {
  const load = async (id: string): Promise<Glimpse> =>
    glimpseOf(deps.pool, await readRow(deps.pool, id), attempt().now);

  /** Usually the API has archived the row before it told us; an operator's signal may come first. */
  async function archive(id: string): Promise<Glimpse> {
    const { now } = attempt();
    const row = await withRow(deps.pool, id, (tx, before) => archiveConnection(tx, before, new Date(now)));
    return glimpseOf(deps.pool, row, now);
  }

  return { load, archive };
}
