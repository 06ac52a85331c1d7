import { uuidv7 } from 'uuidv7';
import { createBatch, getBatch, type BatchRow, type NewBatchRow, type RowProblem } from '../db/connection/batches.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import type { Tx } from '../db/pool.ts';
import { touchConnections } from '../db/connection/touches.ts';
import { invalid, ServiceError, type Problem } from '../domain/errors.ts';
import { connectAll, type ConnectRequest, type RequestedHostname } from './connect.ts';
import type { Variables } from '../domain/connection/variables.ts';
import { connectableHostname } from './hostnames.ts';
import type { OwnHosts } from './own-hosts.ts';
import { loopProblem, routeOf } from './own-routes.ts';
import type { GivenRoute } from './schemas/own-routes.ts';

export interface BatchRequest extends Omit<ConnectRequest, 'batch_id' | 'companion'> {
  entries: readonly BatchEntry[];
  ownHosts: OwnHosts;
  /** Origins of the entries that no edge may dial. */
  undialable: ReadonlySet<string>;
}

export interface BatchEntry {
  hostname: string;
  external_id: string | null;
  /** Fields of a route of the connection's own. */
  given?: GivenRoute;
  serve?: boolean;
  variables?: Variables;
  /** The target whose CNAME proves the hostname. Only the operator's import sets it. */
  proof_target?: string;
  /** Reason why the row is refused, if the caller knows one. The row keeps its place. */
  problem?: RowProblem;
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

async function makeRows(tx: Tx, batch: BatchRequest, batch_id: string): Promise<MadeRow[]> {
  const { entries, ...request } = batch;
  const { companion } = request.application;
  const first = new Map<string, { row: number; external_id: string | null }>();
  const judged: (RequestedHostname | Refused)[] = [];
  for (const [index, entry] of entries.entries()) {
    const one = judgeRow(batch, entry, index, first);
    const problem = 'result' in one ? null : await loopProblem(tx, one, one.path);
    judged.push(problem === null ? one : refusedFor(problem));
  }
  const wanted = judged.flatMap((one) => ('result' in one ? [] : [one]));
  const outcomes = (await connectAll(tx, { ...request, batch_id, companion }, wanted)).values();
  return entries.map(({ hostname: given, external_id: id }, index) => {
    const one = judged[index];
    if (one !== undefined && 'result' in one) return { hostname: given, external_id: id, ...one, connection: null };
    const outcome = outcomes.next().value;
    if (outcome === undefined) throw new Error('A row of a batch has no outcome.');
    if ('refusal' in outcome)
      return { hostname: given, external_id: id, ...refusedRow(outcome.refusal), connection: null };
    const { result, row } = outcome;
    const { hostname, external_id } = row;
    return { hostname, external_id, result, connection_id: row.id, problem: null, connection: row };
  });
}

/** Returns what a row asks for, or why it is refused. `first` remembers the first row of each hostname. */
function judgeRow(
  { application, ownHosts, undialable }: BatchRequest,
  { hostname: given, external_id, given: route = {}, serve = true, variables = {}, problem, proof_target }: BatchEntry,
  index: number,
  first: Map<string, { row: number; external_id: string | null }>,
): RequestedHostname | Refused {
  if (problem !== undefined) return refusedFor(problem);
  const path = `body.hostnames.${index}`;
  const hostname = refusalOr(() => connectableHostname(given, path, application.environment, ownHosts));
  if (hostname instanceof ServiceError) return refusedRow(hostname);
  const earlier = first.get(hostname) ?? { row: index + 1, external_id };
  if (serve) first.set(hostname, earlier);
  if (serve && earlier.external_id !== external_id) return refusedFor(heldBy(earlier.row));
  const routed = routeOf({ before: null, given: route, path, undialable }, { ownHosts });
  if ('problems' in routed) return refusedRow(invalid(routed.problems));
  if (!serve && routed.route !== null) return refusedFor(NOT_SERVED);
  const proof = proof_target === undefined ? {} : { proof_target };
  return { hostname, path, external_id, serve, variables, ...proof, ...routed };
}

type Refused = Pick<NewBatchRow, 'result' | 'connection_id' | 'problem'>;

const refusedFor = (problem: RowProblem): Refused => ({ result: 'invalid', connection_id: null, problem });

const NOT_SERVED: RowProblem = {
  code: 'not_served',
  message: 'The row wants records only (serve: false), so it has no route.',
};

/** Only one of two connections can prove a hostname, so the other would keep the batch from completing. */
const heldBy = (row: number): RowProblem => ({
  code: 'duplicate_hostname',
  message: `Row ${row} has the same hostname with another external_id. Only one of them can be connected.`,
});

function refusalOr<T>(attempt: () => T): T | ServiceError {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Returns why a row was refused. Throws a refusal that concerns the whole request. */
function refusedRow(refusal: ServiceError): Refused {
  if (refusal.code === 'HostnameConflict') {
    const { connection_id } = refusal.details as { connection_id: string | null };
    return { result: 'conflict', connection_id, problem: { code: 'hostname_conflict', message: refusal.message } };
  }
  if (refusal.code === 'QuotaExceeded') {
    const problem = { code: 'quota_exceeded', message: refusal.message };
    return { result: 'quota_exceeded', connection_id: null, problem };
  }
  if (refusal.code === 'invalid_state') return refusedFor({ code: 'other_variables', message: refusal.message });
  if (refusal.code === 'forbidden') return refusedFor({ code: 'hostname_blocked', message: refusal.message });
  const [problem] = refusal.code === 'invalid' ? (refusal.details as Problem[]) : [];
  if (problem === undefined) throw refusal;
  const { code, message, suggestion } = problem;
  return refusedFor({ code, message, ...(suggestion === undefined ? {} : { suggestion }) });
}

const withoutConnection = ({ connection: _connection, ...row }: MadeRow): NewBatchRow => row;
