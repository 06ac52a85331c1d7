import { uuidv7 } from 'uuidv7';
import type { ApplicationRow } from '../db/tenant/applications.ts';
import { createBatch, getBatch, type BatchRow, type NewBatchRow } from '../db/connection/batches.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import type { Tx } from '../db/pool.ts';
import { touchConnections } from '../db/connection/touches.ts';
import { ServiceError, type Problem } from '../domain/errors.ts';
import type { EdgeTargets } from '../domain/connection/template.ts';
import type { Caller } from './caller.ts';
import { connectAll, type Wish } from './connect.ts';
import { connectableHostname } from './hostnames.ts';
import type { OwnHosts } from './own-hosts.ts';

/** Many names that are to be connected at once. */
export interface BatchWish {
  caller: Caller;
  application: ApplicationRow;
  entries: readonly BatchEntry[];
  edge: EdgeTargets;
  upgradeUrl: string;
  ownHosts: OwnHosts;
  now: Date;
}

export interface BatchEntry {
  hostname: string;
  external_id: string | null;
}

export interface MadeRow extends NewBatchRow {
  connection: ConnectionRow | null;
}

/**
 * Connects every name that can be, and says of every other why not, in one transaction: a batch that is cut short leaves
 * nothing behind.
 */
export async function makeBatch(tx: Tx, wish: BatchWish): Promise<{ batch: BatchRow; rows: readonly MadeRow[] }> {
  const { application, now } = wish;
  const { tenant_id, environment } = application;
  const id = uuidv7();
  const rows = await makeRows(tx, wish, id);
  const waiting = rows.flatMap(({ result, connection }) => (result === 'existing' && connection ? [connection] : []));
  await touchConnections(tx, [...new Map(waiting.map((row) => [row.id, row])).values()], now);
  await createBatch(tx, { id, tenant_id, application_id: application.id, environment, now }, rows.map(kept));
  const batch = await getBatch(tx, id);
  if (batch === null) throw new Error('A batch made in this transaction is not there.');
  return { batch, rows };
}

async function makeRows(tx: Tx, wish: BatchWish, batchId: string): Promise<MadeRow[]> {
  const { caller, application, entries, edge, upgradeUrl, ownHosts, now } = wish;
  const judged = entries.map(({ hostname: given, external_id }, index) => {
    const path = `body.hostnames.${index}`;
    const hostname = refusalOr(() => connectableHostname(given, path, application.environment, ownHosts));
    if (hostname instanceof ServiceError) return hostname;
    return {
      caller,
      application,
      hostname,
      path,
      external_id,
      batch_id: batchId,
      companion: application.companion,
      edge,
      upgradeUrl,
      now,
    } satisfies Wish;
  });
  const outcomes = (
    await connectAll(
      tx,
      judged.flatMap((one) => (one instanceof ServiceError ? [] : [one])),
    )
  ).values();
  return entries.map((entry, index) => {
    const one = judged[index];
    const outcome = one instanceof ServiceError ? { refusal: one } : outcomes.next().value;
    if (outcome === undefined) throw new Error('A row of a batch has no outcome.');
    if ('refusal' in outcome) return { ...entry, ...refusedRow(outcome.refusal), connection: null };
    const { result, row } = outcome;
    const { hostname, external_id } = row;
    return { hostname, external_id, result, connection_id: row.id, problem: null, connection: row };
  });
}

function refusalOr<T>(attempt: () => T): T | ServiceError {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** What is wrong with one row. Anything else is wrong with the whole request. */
function refusedRow(refusal: ServiceError): Pick<NewBatchRow, 'result' | 'connection_id' | 'problem'> {
  if (refusal.code === 'HostnameConflict') {
    const { connection_id } = refusal.details as { connection_id: string | null };
    return { result: 'conflict', connection_id, problem: { code: 'hostname_conflict', message: refusal.message } };
  }
  if (refusal.code === 'QuotaExceeded') {
    const problem = { code: 'quota_exceeded', message: refusal.message };
    return { result: 'quota_exceeded', connection_id: null, problem };
  }
  if (refusal.code === 'forbidden') {
    const problem = { code: 'hostname_blocked', message: refusal.message };
    return { result: 'invalid', connection_id: null, problem };
  }
  const [problem] = refusal.code === 'invalid' ? (refusal.details as Problem[]) : [];
  if (problem === undefined) throw refusal;
  const { code, message, suggestion } = problem;
  return {
    result: 'invalid',
    connection_id: null,
    problem: { code, message, ...(suggestion === undefined ? {} : { suggestion }) },
  };
}

const kept = ({ connection: _connection, ...row }: MadeRow): NewBatchRow => row;
