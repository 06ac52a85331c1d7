import { archiveConnection } from '../src/db/connections.ts';
import { remain, transition } from '../src/db/transitions.ts';
import type { Glimpse } from '../src/domain/glimpse.ts';
import { attempt } from './attempt.ts';
import type { Deps } from './deps.ts';
import { glimpseOf } from './glimpse-of.ts';
import { movedRow, readRow, withRow } from './rows.ts';

export function connectionActivities(deps: Deps) {
  const load = async (id: string): Promise<Glimpse> => glimpseOf(await readRow(deps.pool, id));

  /** Usually the API has archived the row before it told us; an operator's signal may come first. */
  async function archive(id: string): Promise<Glimpse> {
    const now = new Date(attempt().now);
    return glimpseOf(await withRow(deps.pool, id, (tx, row) => archiveConnection(tx, row, now)));
  }

  /** Proved: somebody sets the records by hand. */
  async function chooseSetup(id: string): Promise<Glimpse> {
    const now = new Date(attempt().now);
    const row = await withRow(deps.pool, id, async (tx, before) =>
      before.state === 'verified'
        ? movedRow(await transition(tx, before, 'recordsByHand', { now, next_check_at: now }))
        : before,
    );
    return glimpseOf(row);
  }

  /** Nothing of ours is left in the zone when this returns. */
  async function removeWhatWeWrote(id: string): Promise<void> {
    const now = new Date(attempt().now);
    await withRow(deps.pool, id, async (tx, row) => movedRow(await remain(tx, row, { now, cleanup: 'done' })));
  }

  return { load, archive, chooseSetup, removeWhatWeWrote };
}
