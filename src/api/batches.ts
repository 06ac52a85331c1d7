import { uuidv7 } from 'uuidv7';
import { createBatch, getBatch, type BatchRow, type NewBatchRow } from '../db/connection/batches.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import type { Tx } from '../db/pool.ts';
import { touchConnections } from '../db/connection/touches.ts';
import { ServiceError, type Problem } from '../domain/errors.ts';
import { connectAll, type ConnectRequest } from './connect.ts';
import { connectableHostname } from './hostnames.ts';
import type { OwnHosts } from './own-hosts.ts';

export interface BatchRequest extends Omit<ConnectRequest, 'batch_id' | 'companion'> {
  entries: readonly BatchEntry[];
  ownHosts: OwnHosts;
}

export interface BatchEntry {
  hostname: string;
  external_id: string | null;
}

export interface MadeRow extends NewBatchRow {
  connection: ConnectionRow | null;
}

/** Connects every hostname that it can, and records why the others were refused, in one transaction. */
export async function makeBatch(tx: Tx, request: BatchRequest): Promise<{ batch: BatchRow; rows: readonly MadeRow[] }> {
  const { application, now } = request;
  const { tenant_id, environment } = application;
  const id = uuidv7();
  const rows = await makeRows(tx, request, id);
  const waiting = rows.flatMap(({ result, connection }) => (result === 'existing' && connection ? [connection] : []));
  await touchConnections(tx, [...new Map(waiting.map((row) => [row.id, row])).values()], now);
  await createBatch(
    tx,
    { id, tenant_id, application_id: application.id, environment, now },
    rows.map(withoutConnection),
  );
  const batch = await getBatch(tx, id);
  if (batch === null) throw new Error('A batch was not found in the transaction that created it.');
  return { batch, rows };
}

async function makeRows(tx: Tx, { entries, ownHosts, ...request }: BatchRequest, batch_id: string): Promise<MadeRow[]> {
  const { environment, companion } = request.application;
  const judged = entries.map(({ hostname: given, external_id }, index) => {
    const path = `body.hostnames.${index}`;
    const hostname = refusalOr(() => connectableHostname(given, path, environment, ownHosts));
    return hostname instanceof ServiceError ? hostname : { hostname, path, external_id };
  });
  const hostnames = judged.flatMap((one) => (one instanceof ServiceError ? [] : [one]));
  const outcomes = (await connectAll(tx, { ...request, batch_id, companion }, hostnames)).values();
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

/** Returns why a row was refused. Throws a refusal that concerns the whole request. */
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

const withoutConnection = ({ connection: _connection, ...row }: MadeRow): NewBatchRow => row;
