import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import {
  CUTOVER_OUTCOMES,
  CUTOVER_STATES,
  IN_PROGRESS,
  type CutoverOutcome,
  type CutoverState,
  type ProbeResult,
} from '../../domain/connection/cutover.ts';
import { RECORD_TYPES } from '../../domain/record.ts';
import { StoredRecord } from '../connection/connection-row.ts';
import { enqueueMessage } from '../outbox.ts';
import { jsonOf, none, sql, type Queryable, type Tx } from '../pool.ts';

const StoredMove = StoredRecord.extend({ type: z.enum([...RECORD_TYPES, 'OTHER']) });

export const CutoverRow = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  connection_id: z.uuid(),
  state: z.enum(CUTOVER_STATES),
  plan: z.object({
    provider: z.string(),
    zone: z.string(),
    removes: z.array(StoredMove),
    adds: z.array(StoredMove),
  }),
  probe: z.object({
    path: z.string(),
    expect_status: z.number().nullable(),
    expect_text: z.string().nullable(),
  }),
  observe_for: z.number(),
  lower_ttl: z.number().nullable(),
  probes: z.array(
    z.object({
      at: z.string(),
      via: z.enum(['edge', 'dns']),
      address: z.string().nullable(),
      status: z.number().nullable(),
      verdict: z.enum(['ok', 'failed', 'unknown']),
      message: z.string().nullable(),
    }),
  ),
  outcome: z.enum(CUTOVER_OUTCOMES).nullable(),
  reason: z.string().nullable(),
  lowered_at: z.date().nullable(),
  moved_at: z.date().nullable(),
  created_at: z.date(),
  ended_at: z.date().nullable(),
});
export type CutoverRow = z.infer<typeof CutoverRow>;

const columns = sql.fragment`
  id, tenant_id, connection_id, state, plan, probe, observe_for, lower_ttl, probes, outcome, reason, lowered_at, moved_at,
  created_at, ended_at
`;
/** Condition on rows of `cutovers`. */
export const cutoverIsInProgress = sql.fragment`state = ANY(${sql.array([...IN_PROGRESS], 'text')})`;

export const getCutover = (db: Queryable, id: string): Promise<CutoverRow | null> =>
  db.maybeOne(sql.type(CutoverRow)`SELECT ${columns} FROM cutovers WHERE id = ${id}`);

/** Returns the newest cutover of a connection, a dry run included. */
export const newestCutover = (db: Queryable, connectionId: string): Promise<CutoverRow | null> =>
  db.maybeOne(sql.type(CutoverRow)`
    SELECT ${columns} FROM cutovers WHERE connection_id = ${connectionId} ORDER BY id DESC LIMIT 1
  `);

/** Returns the cutover of a connection that is in progress, if one is. Only the cutover writes the records then. */
export const cutoverInProgress = (db: Queryable, connectionId: string): Promise<CutoverRow | null> =>
  db.maybeOne(
    sql.type(
      CutoverRow,
    )`SELECT ${columns} FROM cutovers WHERE connection_id = ${connectionId} AND ${cutoverIsInProgress}`,
  );

export type NewCutover = Pick<
  CutoverRow,
  'tenant_id' | 'connection_id' | 'state' | 'plan' | 'probe' | 'observe_for' | 'lower_ttl' | 'created_at'
>;

/** Saves a dry run, or a cutover and the message that starts its workflow. It replaces the connection's dry run. */
export async function addCutover(tx: Tx, row: NewCutover): Promise<CutoverRow> {
  await tx.query(sql.type(none)`DELETE FROM cutovers WHERE connection_id = ${row.connection_id} AND state = 'planned'`);
  const added = await tx.one(sql.type(CutoverRow)`
    INSERT INTO cutovers (id, tenant_id, connection_id, state, plan, probe, observe_for, lower_ttl, created_at)
    VALUES (${uuidv7()}, ${row.tenant_id}, ${row.connection_id}, ${row.state}, ${sql.jsonb(jsonOf(row.plan))},
      ${sql.jsonb(jsonOf(row.probe))}, ${row.observe_for}, ${row.lower_ttl}, ${sql.timestamp(row.created_at)})
    RETURNING ${columns}
  `);
  if (added.state !== 'planned') await sendToCutover(tx, added, 'start');
  return added;
}

export const CUTOVER_MESSAGES = ['start', 'cancel'] as const;

const sendToCutover = (
  tx: Queryable,
  { id, tenant_id }: Pick<CutoverRow, 'id' | 'tenant_id'>,
  kind: (typeof CUTOVER_MESSAGES)[number],
): Promise<void> => enqueueMessage(tx, { aggregate: { kind: 'cutover', id, tenant_id }, workflow: 'cutover', kind });

/** Decides how a cutover ends. The first decision counts. Returns the row after it; null if there is none in progress. */
export const decideCutover = (
  db: Queryable,
  id: string,
  outcome: CutoverOutcome,
  reason: string | null,
): Promise<CutoverRow | null> =>
  db.maybeOne(sql.type(CutoverRow)`
    UPDATE cutovers SET
      reason = CASE WHEN outcome IS NULL THEN ${reason} ELSE reason END,
      outcome = coalesce(outcome, ${outcome})
    WHERE id = ${id} AND ${cutoverIsInProgress}
    RETURNING ${columns}
  `);

/** Cancels a cutover in progress, and wakes its workflow, which restores what was moved. */
export async function cancelCutover(tx: Tx, { id }: CutoverRow, reason: string): Promise<CutoverRow | null> {
  const row = await decideCutover(tx, id, 'cancelled', reason);
  if (row?.outcome === 'cancelled') await sendToCutover(tx, row, 'cancel');
  return row;
}

/** Begins a step, unless the end of the cutover is decided. */
export const beginStep = (
  db: Queryable,
  id: string,
  state: Extract<CutoverState, 'waiting_for_ttl' | 'probing' | 'moving' | 'observing'>,
): Promise<CutoverRow | null> =>
  db.maybeOne(sql.type(CutoverRow)`
    UPDATE cutovers SET state = ${state} WHERE id = ${id} AND ${cutoverIsInProgress} AND outcome IS NULL RETURNING ${columns}
  `);

export async function saveProbes(db: Queryable, id: string, probes: readonly ProbeResult[]): Promise<void> {
  await db.query(sql.type(none)`UPDATE cutovers SET probes = ${sql.jsonb(jsonOf(probes))} WHERE id = ${id}`);
}

/** Records, before it is sent, that a change of TTLs or of the records may reach the zone. */
export async function recordSent(db: Queryable, id: string, what: 'lowered' | 'moved', now: Date): Promise<void> {
  const column = sql.identifier([`${what}_at`]);
  await db.query(sql.type(none)`
    UPDATE cutovers SET ${column} = coalesce(${column}, ${sql.timestamp(now)}) WHERE id = ${id}
  `);
}

export async function endCutover(
  db: Queryable,
  id: string,
  { outcome, reason, now }: { outcome: CutoverOutcome; reason: string | null; now: Date },
): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE cutovers SET state = ${outcome}, outcome = ${outcome}, reason = ${reason}, ended_at = ${sql.timestamp(now)}
    WHERE id = ${id}
  `);
}

const CutoverRef = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  hostname: z.string(),
  /** `traceparent` of the span that created the connection. */
  trace_context: z.string().nullable(),
  position: z.string(),
});
export type CutoverRef = z.infer<typeof CutoverRef>;

const refs = sql.fragment`
  SELECT cutovers.id, cutovers.tenant_id, hostname, trace_context, cutovers.id::text AS position
  FROM cutovers JOIN connections ON connections.id = connection_id`;

export const cutoverRefs = (db: Queryable, ids: readonly string[]): Promise<readonly CutoverRef[]> =>
  db.any(sql.type(CutoverRef)`${refs} WHERE cutovers.id = ANY(${sql.array([...ids], 'uuid')})`);

const PAGE = 500;

/** Returns cutovers in progress that have no message in the outbox, page by page. */
export const findCutovers = (db: Queryable, after: string | null): Promise<readonly CutoverRef[]> =>
  db.any(sql.type(CutoverRef)`
    ${refs}
    WHERE cutovers.id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
      AND cutovers.state = ANY(${sql.array([...IN_PROGRESS], 'text')})
      AND NOT EXISTS (SELECT FROM outbox WHERE aggregate_kind = 'cutover' AND aggregate_id = cutovers.id)
    ORDER BY cutovers.id LIMIT ${PAGE}
  `);
