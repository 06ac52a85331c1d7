import { makeBatch, type BatchEntry, type BatchRequest, type MadeRow } from '../../api/batches.ts';
import type { GivenRoute } from '../../api/schemas/own-routes.ts';
import { takeOver } from '../../certificates/imported.ts';
import { usedConnects } from '../../db/billing/usage.ts';
import { ownersOf, type Owner } from '../../db/connection/connections.ts';
import type { Pool, Tx } from '../../db/pool.ts';
import { challengeName } from '../../domain/connection/challenge.ts';
import { UNPROVED } from '../../domain/connection/state-sets.ts';
import type { Vault } from '../../vault/vault.ts';
import { CommandError } from '../errors.ts';
import type { ReportedRow } from './report.ts';
import { certificateOf, chunksOf, repeated, RowJudge, type Accepted, type RowOptions } from './rows.ts';
import { Findings, type ImportRow, type ImportSource } from './source.ts';

export interface ImportJob {
  pool: Pool;
  source: ImportSource;
  /** Settings that all rows share, as for a batch. */
  request: Omit<BatchRequest, 'entries' | 'undialable' | 'now'>;
  options: RowOptions;
  /** Returns the hostname as it will be connected, or throws why it cannot be. */
  normalize(hostname: string): string;
  undialable(given: readonly GivenRoute[]): Promise<ReadonlySet<string>>;
  vault: Vault | null;
  progress(line: string): void;
}

/** Decides about every row and changes nothing: the database decides in transactions that are rolled back. */
export async function planImport(job: ImportJob): Promise<{ rows: ReportedRow[]; findings: Findings }> {
  const [judge, findings] = [new RowJudge((name) => job.normalize(name)), new Findings()];
  const rows: ReportedRow[] = [];
  let planned = 0;
  for await (const chunk of chunksOf(job.source.rows(findings))) {
    const judged = chunk.map(({ given, row }) => ({ given, ...judge.judge(given, row) }));
    const decided = await decideWithoutChange(job, await entriesOf(job, judged), planned);
    planned += decided.used;
    for (const { given, reported, sameAs } of judged) {
      if (sameAs !== undefined) {
        rows.push(repeated(reported, rows[sameAs - 1]));
        continue;
      }
      const decision = decided.made.get(reported.row);
      // The ids of new rows were rolled back.
      const after = decision === undefined || decision.outcome === 'new' ? reported : decision;
      rows.push({ ...after, certificate: certificateWord(after, given) });
    }
    job.progress(`planning: ${rows.length} rows`);
  }
  return { rows, findings };
}

/** Returns the decisions about rows, and the connects that they would use. */
async function decideWithoutChange(job: ImportJob, entries: Entries, planned: number) {
  if (entries.entries.length === 0) return { made: new Map<number, ReportedRow>(), used: 0 };
  const { tenant_id } = job.request.application;
  return rolledBack(job.pool, async (tx) => {
    const now = new Date();
    const before = await usedConnects(tx, tenant_id, now);
    const made = await decide(tx, job, { ...entries, planned, now });
    return { made, used: (await usedConnects(tx, tenant_id, now)) - before };
  });
}

/** Creates the rows that the plan calls new, a chunk in each transaction, and returns the report. */
export async function carryOut(job: ImportJob, plan: readonly ReportedRow[]): Promise<ReportedRow[]> {
  if (!plan.some(({ outcome, certificate }) => outcome === 'new' || certificate === 'ready')) return [...plan];
  const rows: ReportedRow[] = [];
  for await (const chunk of chunksOf(job.source.rows(new Findings()))) {
    const judged = chunk.map(({ given, row }) => ({ given, reported: samePlan(job, plan[row - 1], given) }));
    const entries = await entriesOf(job, judged);
    const certificates = judged.flatMap(({ given, reported }) => {
      const found = reported.certificate === 'ready' ? certificateOf(reported.hostname, given, new Date()) : null; // prettier-ignore
      return found === null || typeof found === 'string' ? [] : [{ row: reported.row, found }];
    });
    const isNeeded = entries.entries.length > 0 || certificates.length > 0;
    const made = isNeeded
      ? await job.pool.transaction((tx) => move(tx, job, judged.map(({ reported }) => reported), entries, certificates)) // prettier-ignore
      : new Map<number, ReportedRow>();
    rows.push(...judged.map(({ reported }) => made.get(reported.row) ?? reported));
    job.progress(`imported: ${rows.length} of ${plan.length} rows`);
  }
  return rows;
}

interface Entries {
  entries: readonly BatchEntry[];
  /** Rows of the report, in the order of the entries. */
  reported: readonly ReportedRow[];
  undialable: ReadonlySet<string>;
}

/** Returns the rows that are to be created, as a batch takes them. */
async function entriesOf(
  { options, undialable }: ImportJob,
  rows: readonly { given: ImportRow; reported: ReportedRow }[],
): Promise<Entries> {
  const wanted = rows.filter(({ reported }) => reported.outcome === 'new');
  const entries = wanted.map(({ given: { certificates: _, unreadable: __, ...entry } }) => ({ ...options, ...entry }));
  const given = entries.map((entry) => entry.given ?? {});
  return { entries, reported: wanted.map(({ reported }) => reported), undialable: await undialable(given) };
}

/** Creates what can be created, and returns the decisions by row. */
async function decide(
  tx: Tx,
  { request }: ImportJob,
  { reported, ...batch }: Entries & { now: Date; planned?: number },
): Promise<Map<number, ReportedRow>> {
  if (reported.length === 0) return new Map();
  const { rows } = await makeBatch(tx, { ...request, ...batch });
  const owners = await ownersOf(
    tx,
    rows.flatMap(({ result, connection_id }) => (result === 'conflict' && connection_id ? [connection_id] : [])),
  );
  const decided = reported.map((before, index) => {
    const made = rows[index];
    if (made === undefined) throw new Error('A row of a batch has no outcome.');
    return decision(before, made, isOwn(owners.get(made.connection_id ?? ''), request.application.id, before));
  });
  return new Map(decided.map((row) => [row.row, row]));
}

/** Whether the connection that holds a hostname is the one that the row wants. */
const isOwn = (owner: Owner | undefined, applicationId: string, { external_id }: ReportedRow): boolean =>
  owner?.application_id === applicationId && owner.external_id === external_id;

function decision(before: ReportedRow, made: MadeRow, isOwnHolder: boolean): ReportedRow {
  const { connection, connection_id, problem, result } = made;
  const proof =
    connection !== null && UNPROVED.has(connection.state)
      ? { challenge_name: challengeName(connection.hostname), challenge_value: connection.challenge_token }
      : {};
  if (result === 'created') return { ...before, outcome: 'new', connection_id, ...proof };
  if (result === 'existing' || isOwnHolder) return { ...before, outcome: 'here', connection_id, ...proof };
  const outcome = ({ conflict: 'held', invalid: 'invalid', quota_exceeded: 'quota_exceeded' } as const)[result];
  return { ...before, outcome, code: problem?.code ?? null, reason: problem?.message ?? null };
}

async function move(
  tx: Tx,
  job: ImportJob,
  planned: readonly ReportedRow[],
  entries: Entries,
  certificates: readonly { row: number; found: Accepted }[],
): Promise<Map<number, ReportedRow>> {
  const now = new Date();
  const made = await decide(tx, job, { ...entries, now });
  for (const [row, decided] of made) if (decided.outcome === 'new') made.set(row, { ...decided, outcome: 'created' });
  const before = new Map(planned.map((one) => [one.row, one]));
  for (const { row, found } of certificates) {
    const reported = made.get(row) ?? before.get(row);
    if (reported?.connection_id == null || job.vault === null) continue;
    const isTaken = await takeOver(tx, job.vault, { ...found, connectionId: reported.connection_id }, now);
    made.set(row, { ...reported, certificate: isTaken ? 'imported' : PROVED_ALREADY });
  }
  return made;
}

const PROVED_ALREADY = 'The hostname is proved already, and has a certificate.';

/** Returns the plan's row. */
function samePlan({ normalize }: ImportJob, planned: ReportedRow | undefined, given: ImportRow): ReportedRow {
  const isSame = planned?.hostname === given.hostname || planned?.hostname === normalizedOr(normalize, given.hostname);
  if (planned === undefined || !isSame)
    throw new CommandError('The file changed while it was imported. Run the command again.');
  return planned;
}

function normalizedOr(normalize: (hostname: string) => string, hostname: string): string {
  try {
    return normalize(hostname);
  } catch {
    return hostname;
  }
}

/** Returns the report's word about a certificate of a row that is here, or could be. */
function certificateWord({ hostname, outcome, connection_id }: ReportedRow, given: ImportRow): string | null {
  if (outcome !== 'new' && (outcome !== 'here' || connection_id === null)) return null;
  const found = certificateOf(hostname, given, new Date());
  return found === null || typeof found === 'string' ? found : 'ready';
}

const ROLLED_BACK = new Error('A transaction was rolled back on purpose.');

/** Returns the result of a transaction that changes nothing. */
async function rolledBack<T>(pool: Pool, body: (tx: Tx) => Promise<T>): Promise<T> {
  const kept: T[] = [];
  await pool
    .transaction(async (tx) => {
      kept.splice(0, 1, await body(tx));
      throw ROLLED_BACK;
    })
    .catch((error: unknown) => {
      if (error !== ROLLED_BACK) throw error;
    });
  const [result] = kept;
  if (result === undefined) throw new Error('A transaction has no result.');
  return result;
}
