import { AT_REST } from '../../domain/connection/state-sets.ts';
import { inStates } from '../state-list.ts';
import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import { BATCH_RESULTS, presentBatch, type BatchFacts, type BatchResult } from '../../domain/connection/batch.ts';
import { ERROR_CODES, STATES, type Environment } from '../../domain/connection/connection.ts';
import { recordApplicationEvent } from '../webhook/events.ts';
import { releaseStarts } from './held-starts.ts';
import { pageOf, type PageRequest } from '../page.ts';
import { jsonOf, none, sql, type Queryable, type Tx } from '../pool.ts';

const RowProblem = z.object({ code: z.string(), message: z.string(), suggestion: z.string().exactOptional() });
export type RowProblem = z.infer<typeof RowProblem>;

export interface NewBatch {
  id: string;
  tenant_id: string;
  application_id: string;
  environment: Environment;
  now: Date;
}

export interface NewBatchRow {
  hostname: string;
  external_id: string | null;
  result: BatchResult;
  connection_id: string | null;
  problem: RowProblem | null;
}

/** Saves a batch. */
export async function createBatch(tx: Tx, batch: NewBatch, rows: readonly NewBatchRow[]): Promise<void> {
  const existing = rows.flatMap(({ connection_id, result }) => (result === 'existing' ? (connection_id ?? []) : []));
  const resting = existing.length === 0 ? [] : await holdExisting(tx, existing);
  const at = sql.timestamp(batch.now);
  const kept = rows.map((row, index) => {
    const settled = !isOnItsWay(row.result) || row.connection_id === null || resting.includes(row.connection_id);
    return { ...row, id: uuidv7(), position: index + 1, settled };
  });
  const unsettled = kept.filter(({ settled }) => !settled).length;
  await tx.query(sql.type(none)`
    INSERT INTO batches (id, tenant_id, application_id, environment, created_at, unsettled)
    VALUES (${batch.id}, ${batch.tenant_id}, ${batch.application_id}, ${batch.environment}, ${at}, ${unsettled})
  `);
  await tx.query(sql.type(none)`
    INSERT INTO batch_rows (id, batch_id, tenant_id, position, hostname, external_id, result, connection_id, problem, settled_at)
    SELECT id, ${batch.id}, ${batch.tenant_id}, position, hostname, external_id, result, connection_id, problem,
      CASE WHEN settled AND connection_id IS NOT NULL THEN ${at} END
    FROM jsonb_to_recordset(${sql.jsonb(jsonOf(kept))}) AS given (
      id uuid, position integer, hostname text, external_id text, result text, connection_id uuid, problem jsonb,
      settled boolean)
  `);
  if (unsettled === 0) await complete(tx, batch.id, batch.now);
  await releaseStarts(tx, 1); // the first starts immediately; workers release the others
}

/**
 * Locks connections until commit, and writes those that are on their way, which changes nothing of them but their
 * revision. A decision that was made before then finds that the row has changed, and settles the batch. Returns the
 * connections at rest.
 */
async function holdExisting(tx: Tx, connections: readonly string[]): Promise<readonly string[]> {
  const wanted = sql.array([...new Set(connections)], 'uuid');
  const held = await tx.any(sql.type(z.object({ id: z.uuid(), is_resting: z.boolean() }))`
    SELECT id, state ${inStates(AT_REST)} AS is_resting FROM connections WHERE id = ANY(${wanted})
    ORDER BY id FOR NO KEY UPDATE
  `);
  const awaited = held.filter(({ is_resting }) => !is_resting).map(({ id }) => id);
  await tx.query(sql.type(none)`
    UPDATE connections SET version = version WHERE id = ANY(${sql.array(awaited, 'uuid')})
  `);
  return held.filter(({ is_resting }) => is_resting).map(({ id }) => id);
}

/** Condition: a batch waits until the connection comes to rest. */
export const isAwaitedByBatch = (connectionId: string) => sql.fragment`EXISTS (
  SELECT FROM batch_rows WHERE ${awaits(connectionId)})`;

/** Condition on rows of `batch_rows`. */
const awaits = (connectionId: string) => sql.fragment`
  connection_id = ${connectionId} AND settled_at IS NULL AND result IN ('created', 'existing')`;

/** Whether the row waits for a connection. Refused rows do not, even if they name the conflicting connection. */
const isOnItsWay = (result: BatchResult): boolean => result === 'created' || result === 'existing';

/** Settles the rows of a connection that came to rest, and completes batches, which are locked in one order. */
export async function settleBatchRows(tx: Tx, connectionId: string, now: Date): Promise<void> {
  const at = sql.timestamp(now);
  const waiting = await tx.any(sql.type(z.object({ batch_id: z.uuid(), rows: z.number() }))`
    WITH settled AS (
      UPDATE batch_rows SET settled_at = ${at}
      WHERE ${awaits(connectionId)}
      RETURNING batch_id
    )
    SELECT batch_id, count(*) AS rows FROM settled GROUP BY batch_id ORDER BY batch_id
  `);
  for (const { batch_id, rows } of waiting) {
    const unsettled = await tx.oneFirst(sql.type(z.object({ unsettled: z.number() }))`
      UPDATE batches SET unsettled = unsettled - ${rows} WHERE id = ${batch_id} RETURNING unsettled
    `);
    if (unsettled === 0) await complete(tx, batch_id, now);
  }
}

async function complete(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query(sql.type(none)`UPDATE batches SET completed_at = ${sql.timestamp(now)} WHERE id = ${id}`);
  const batch = await getBatch(tx, id);
  if (batch !== null)
    await recordApplicationEvent(tx, batch, 'batch.completed', { now, data: { batch: presentBatch(batch) } });
}

const counts = <K extends string>(keys: readonly K[]) => z.partialRecord(z.enum(keys), z.number());
const BatchRow = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  application_id: z.uuid(),
  environment: z.enum(['test', 'live']),
  created_at: z.date(),
  completed_at: z.date().nullable(),
  results: counts(BATCH_RESULTS),
  states: counts(STATES),
});
export type BatchRow = Omit<z.infer<typeof BatchRow>, 'results'> & BatchFacts;

/** Returns a batch with the number of rows by result and of connections by state. */
export async function getBatch(db: Queryable, id: string): Promise<BatchRow | null> {
  const row = await db.maybeOne(sql.type(BatchRow)`
    SELECT id, tenant_id, application_id, environment, created_at, completed_at,
      (SELECT coalesce(jsonb_object_agg(result, count), '{}') FROM (
        SELECT result, count(*) FROM batch_rows WHERE batch_id = batches.id GROUP BY result) AS by_result) AS results,
      (SELECT coalesce(jsonb_object_agg(state, count), '{}') FROM (
        SELECT state, count(*) FROM connections
        WHERE id IN (
          SELECT connection_id FROM batch_rows WHERE batch_id = batches.id AND result IN ('created', 'existing'))
        GROUP BY state) AS by_state) AS states
    FROM batches WHERE id = ${id}
  `);
  return (
    row && { ...row, results: { created: 0, existing: 0, conflict: 0, invalid: 0, quota_exceeded: 0, ...row.results } }
  );
}

const ListedBatch = BatchRow.omit({ results: true, states: true }).extend({ total: z.number(), unsettled: z.number() });
export type ListedBatch = z.infer<typeof ListedBatch>;

/** Returns batches, newest first. The last position is their number of rows, so that no row needs to be counted. */
export const listBatches = (
  db: Queryable,
  { environments, application_id }: { environments: readonly Environment[]; application_id?: string | undefined },
  page: PageRequest,
): Promise<readonly ListedBatch[]> =>
  db.any(sql.type(ListedBatch)`
    SELECT id, tenant_id, application_id, environment, created_at, completed_at, unsettled,
      (SELECT coalesce(max(position), 0) FROM batch_rows WHERE batch_id = batches.id) AS total
    FROM batches
    WHERE environment = ANY(${sql.array([...environments], 'text')})
      AND ${application_id === undefined ? sql.fragment`true` : sql.fragment`application_id = ${application_id}`}
      AND ${pageOf(page)}
  `);

const BatchRowDetail = z.object({
  id: z.uuid(),
  created_at: z.date(),
  position: z.number(),
  hostname: z.string(),
  external_id: z.string().nullable(),
  result: z.enum(BATCH_RESULTS),
  connection_id: z.uuid().nullable(),
  problem: RowProblem.nullable(),
  challenge_token: z.string().nullable(),
  state: z.enum(STATES).nullable(),
  error_code: z.enum(ERROR_CODES).nullable(),
});
export type BatchRowDetail = z.infer<typeof BatchRowDetail>;

/** Returns rows in their original order. `failed` selects refused rows and rows whose connection has failed. */
export const listBatchRows = (
  db: Queryable,
  batchId: string,
  { which, page: { limit, after } }: { which: 'all' | 'failed'; page: PageRequest },
): Promise<readonly BatchRowDetail[]> =>
  db.any(sql.type(BatchRowDetail)`
    SELECT batch_row.id, batches.created_at, position, batch_row.hostname, batch_row.external_id, result, connection_id,
      problem, challenge_token, state, error_code
    FROM batch_rows AS batch_row JOIN batches ON batches.id = batch_row.batch_id
      LEFT JOIN connections ON connections.id = connection_id AND result IN ('created', 'existing')
    WHERE batch_row.batch_id = ${batchId}
      AND (${which === 'all'} OR result IN ('conflict', 'invalid', 'quota_exceeded') OR state = 'failed')
      AND ${after === null ? sql.fragment`true` : sql.fragment`batch_row.id > ${after.id}::uuid`}
    ORDER BY batch_row.id
    ${limit === null ? sql.fragment`` : sql.fragment`LIMIT ${limit + 1}`}
  `);
