import { z } from 'zod';
import { ENDED } from '../../domain/connection/state-sets.ts';
import { observationOfMoved, type Observation } from '../observation/observations.ts';
import { jsonOf, sql, timestampOrNull, type Fragment, type Queryable } from '../pool.ts';
import { eventsOfMoved } from '../webhook/events.ts';
import { isAwaitedByBatch } from './batches.ts';
import { revision, type ConnectionRow } from './connection-row.ts';
import { assignments, outcomeOf, type Outcome, type RowStep, type StoredEntry } from './row-change.ts';

export interface Saving {
  steps: readonly RowStep[];
  /** The check that caused the steps. */
  observation?: Observation | undefined;
  /**
   * `locked`: the caller holds the row's lock. `unchanged`: it does not, and the row must be as it was read. `unawaited`:
   * in addition, no batch waits for the connection.
   */
  guard: 'locked' | 'unchanged' | 'unawaited';
}

/**
 * Saves the row with its check, its entries on the timeline and its events, in one statement. A check without changes,
 * which is nearly every check, writes only its times. Returns null if the guard finds otherwise.
 */
export async function updateRow(
  db: Queryable,
  row: ConnectionRow,
  { steps, observation, guard }: Saving,
): Promise<ConnectionRow | null> {
  const outcome = outcomeOf(row, steps);
  const { next, entries, events, provedAt, now } = outcome;
  const changed = assignments(row, next);
  const checks = sql.fragment`
    last_checked_at = ${timestampOrNull(next.last_checked_at)},
    next_check_at = ${timestampOrNull(next.next_check_at)},
    due_at = ${timestampOrNull(ENDED.has(next.state) ? null : (next.next_check_at ?? now))}`;
  const isStill = next.version === row.version && changed.length === 0 && entries.length === 0 && events.length === 0;
  const moved = isStill ? timesOf(row, checks, guard) : rowOf(row, outcome, { changed, checks, guard, provedAt });
  const parts = [
    moved,
    ...(entries.length === 0 ? [] : [entriesOfMoved(entries)]),
    ...(events.length === 0 ? [] : [eventsOfMoved(events)]),
    ...(observation === undefined ? [] : [observationOfMoved(row.id, observation)]),
  ];
  const revision = await db.maybeOneFirst(sql.type(Revision)`
    WITH ${sql.join(parts, sql.fragment`, `)} SELECT revision FROM moved
  `);
  return revision === null ? null : { ...next, revision };
}

const Revision = z.object({ revision: z.string() });

type Guard = Saving['guard'];

/** Part of a statement that saves only the times of a check. */
function timesOf(row: ConnectionRow, checks: Fragment, guard: Guard): Fragment {
  const written = sql.fragment`connections.xmin::text || ' ' || checks.xmin::text`;
  // Not the subquery of `revision`: that one still sees the times as they were before a change that it waited for.
  const isCurrent = guard === 'locked' ? isVersionOf(row) : sql.fragment`${written} = ${row.revision}`;
  return sql.fragment`
    moved AS (
      UPDATE checks SET ${checks} FROM connections
      WHERE connection_id = ${row.id} AND connections.id = connection_id AND ${isCurrent}
      RETURNING connections.id, connections.tenant_id, ${written} AS revision
    )`;
}

/** Part of a statement that saves the row and the times of the check. */
function rowOf(
  row: ConnectionRow,
  { next, events }: Outcome,
  { changed, checks, guard, provedAt }: { changed: Fragment[]; checks: Fragment; guard: Guard; provedAt: Date | null },
): Fragment {
  const values = [
    sql.fragment`state = ${next.state}, version = ${next.version}, event_sequence = event_sequence + ${events.length}`,
    ...changed,
    ...(provedAt === null ? [] : [sql.fragment`proved_at = ${sql.timestamp(provedAt)}`]),
  ];
  const isCurrent = guard === 'locked' ? isVersionOf(row) : sql.fragment`${revision} = ${row.revision}`;
  const isUnawaited = guard === 'unawaited' ? sql.fragment`AND NOT ${isAwaitedByBatch(row.id)}` : sql.fragment``;
  return sql.fragment`
    moved AS (
      UPDATE connections SET ${sql.join(values, sql.fragment`, `)}
      WHERE id = ${row.id} AND ${isCurrent} ${isUnawaited}
      RETURNING id, tenant_id, application_id, environment, event_sequence,
        connections.xmin::text || ' ' || connections.xmin::text AS revision
    ), noted AS (
      UPDATE checks SET ${checks} FROM moved WHERE connection_id = moved.id
    )`;
}

const isVersionOf = ({ version }: ConnectionRow): Fragment => sql.fragment`connections.version = ${version}`;

/** Part of a statement whose part `moved` updates the row: the entries on the timeline, in order. */
const entriesOfMoved = (entries: readonly StoredEntry[]): Fragment => sql.fragment`
  entry AS (
    INSERT INTO timeline (tenant_id, connection_id, at, kind, from_state, to_state, reason)
    SELECT moved.tenant_id, moved.id, given.at, given.kind, given.earlier, given.later, given.reason
    FROM moved, jsonb_to_recordset(${sql.jsonb(
      jsonOf(
        entries.map(({ kind, from, to, at, reason }, place) => ({ place, at, kind, earlier: from, later: to, reason })),
      ),
    )}) AS given (place int, at timestamptz, kind text, earlier text, later text, reason text)
    ORDER BY given.place
  )`;
