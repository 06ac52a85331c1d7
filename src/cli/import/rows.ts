import type { BatchEntry } from '../../api/batches.ts';
import { judgeImport, type ForeignCertificate } from '../../certificates/imported.ts';
import { ServiceError, type Problem } from '../../domain/errors.ts';
import { isHere, type ReportedRow } from './report.ts';
import type { ImportRow } from './source.ts';

/** Fields that the command gives to every row. */
export type RowOptions = Omit<BatchEntry, 'hostname' | 'external_id' | 'problem'>;

/** A certificate that can be taken over. */
export type Accepted = ForeignCertificate & { notAfter: Date };

interface JudgedRow {
  reported: ReportedRow;
  /** Earlier row that is the same, whose outcome is this row's too. */
  sameAs?: number;
}

/** Judges the rows of one file before the database does. A hostname is connected once for each file. */
export class RowJudge {
  private readonly first = new Map<string, { row: number; external_id: string | null }>();
  private readonly normalize: (hostname: string) => string;

  constructor(normalize: (hostname: string) => string) {
    this.normalize = normalize;
  }

  /** Returns the row of the report: `new` if the database has to decide, `here` if an earlier row decides for it. */
  judge({ hostname: given, external_id, serve = true, problem }: ImportRow, row: number): JudgedRow {
    const reported = { ...NOTHING, row, hostname: given, external_id };
    const invalid = (why: { code: string; reason: string }, hostname = given): JudgedRow => ({
      reported: { ...reported, hostname, outcome: 'invalid', ...why },
    });
    if (problem !== undefined) return invalid({ code: problem.code, reason: problem.message });
    const hostname = this.normalized(given);
    if (typeof hostname !== 'string') return invalid(hostname);
    const key = serve ? hostname : JSON.stringify([hostname, external_id]);
    const earlier = this.first.get(key);
    this.first.set(key, earlier ?? { row, external_id });
    if (earlier === undefined) return { reported: { ...reported, hostname } };
    if (earlier.external_id === external_id)
      return { reported: { ...reported, hostname, outcome: 'here' }, sameAs: earlier.row };
    const reason = `Row ${earlier.row} has the same hostname with another external_id. Only one can be connected.`;
    return invalid({ code: 'duplicate_hostname', reason }, hostname);
  }

  private normalized(given: string): string | { code: string; reason: string } {
    try {
      return this.normalize(given);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const [{ code, message, suggestion } = { code: 'invalid', message: error.message }] = error.details as Problem[];
      return { code, reason: suggestion === undefined ? message : `${message} Did you mean ${suggestion}?` };
    }
  }
}

/** Returns a repeated row with the outcome of its first occurrence. */
export function repeated(row: ReportedRow, first: ReportedRow | undefined): ReportedRow {
  if (first === undefined) throw new Error('A repeated row comes before its first occurrence.');
  if (isHere(first)) return { ...row, outcome: 'here', reason: `Row ${first.row} is the same.` };
  return { ...row, outcome: first.outcome, code: first.code, reason: first.reason };
}

const NOTHING = {
  outcome: 'new',
  code: null,
  reason: null,
  connection_id: null,
  certificate: null,
  challenge_name: null,
  challenge_value: null,
} as const;

/** Returns the longest-lived certificate of a row that fits its hostname, or why none can be taken over. */
export function certificateOf(
  hostname: string,
  { certificates = [], unreadable }: ImportRow,
  now: Date,
): Accepted | string | null {
  let best: Accepted | undefined;
  let why = unreadable;
  for (const one of certificates) {
    const judged = judgeImport(hostname, one, now);
    if (judged.outcome === 'refused') why ??= judged.why;
    else if (best === undefined || judged.notAfter > best.notAfter)
      best = { chain: judged.chain, key: one.key, notAfter: judged.notAfter };
  }
  return best ?? why ?? null;
}

const CHUNK = 500;

/** Groups rows, each with its place in the file. A chunk becomes one transaction. */
export async function* chunksOf(rows: AsyncIterable<ImportRow>): AsyncGenerator<{ given: ImportRow; row: number }[]> {
  let chunk: { given: ImportRow; row: number }[] = [];
  let row = 0;
  for await (const given of rows) {
    chunk.push({ given, row: ++row });
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
