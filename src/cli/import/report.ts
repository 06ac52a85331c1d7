import { stringify } from 'csv-stringify/sync';
import { writeFile } from 'node:fs/promises';

/** `new` is the plan's word for a row that can be created; after the move it is `created`. */
export const OUTCOMES = ['new', 'created', 'here', 'invalid', 'held', 'quota_exceeded'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A row of the report. */
export interface ReportedRow {
  row: number;
  hostname: string;
  external_id: string | null;
  outcome: Outcome;
  code: string | null;
  reason: string | null;
  connection_id: string | null;
  /** `ready` (plan), `imported`, or the reason why the certificate is not taken over; null if there was none. */
  certificate: string | null;
  challenge_name: string | null;
  challenge_value: string | null;
}

const WORDS: Readonly<Record<Outcome, string>> = {
  new: 'new',
  created: 'created',
  here: 'already here',
  invalid: 'invalid',
  held: 'held by others',
  quota_exceeded: 'beyond the quota',
};

export const countsOf = (rows: readonly ReportedRow[]): Record<Outcome, number> => {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const { outcome } of rows) counts[outcome]++;
  return counts;
};

/** Returns the counts in one line. Counts of zero are left out. */
export function summaryOf(rows: readonly ReportedRow[]): string {
  const counts = countsOf(rows);
  const shown = OUTCOMES.filter((outcome) => counts[outcome] > 0).map(
    (outcome) => `${counts[outcome]} ${WORDS[outcome]}`,
  );
  const taken = rows.filter(({ certificate }) => certificate === 'ready' || certificate === 'imported').length;
  const withCertificates = rows.some(({ certificate }) => certificate !== null);
  return [`${rows.length} rows:`, shown.join(', '), ...(withCertificates ? [`(${taken} certificates)`] : [])].join(' ');
}

/** Whether the row's hostname is connected here, or would be. */
export const isHere = ({ outcome }: ReportedRow): boolean =>
  outcome === 'new' || outcome === 'created' || outcome === 'here';

/** Returns 0 if every row is here, 2 if some were skipped, and 1 if none is here. */
export function exitCodeOf(rows: readonly ReportedRow[]): number {
  const here = rows.filter(isHere).length;
  if (here === 0) return 1;
  return here === rows.length ? 0 : 2;
}

const MOST_LINES = 100;

/** Returns a line for each row that was skipped or whose certificate was, up to a hundred. */
export function skippedLines(rows: readonly ReportedRow[]): string[] {
  const lines = rows.flatMap(({ row, hostname, outcome, reason, certificate }) => {
    if (outcome !== 'new' && outcome !== 'created' && outcome !== 'here')
      return [`row ${row}  ${printable(hostname)}  ${WORDS[outcome]}: ${printable(reason ?? '')}`];
    if (certificate === null || certificate === 'ready' || certificate === 'imported') return [];
    return [`row ${row}  ${printable(hostname)}  certificate not taken over: ${printable(certificate)}`];
  });
  const more = lines.length - MOST_LINES;
  return more <= 0 ? lines : [...lines.slice(0, MOST_LINES), `… and ${more} more rows. Use --report FILE to see all.`];
}

/** Files come from others, so no control character of theirs reaches the terminal. */
const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?').slice(0, 300);

/** Writes every row: as JSON if the file's name ends so, else as CSV. */
export async function writeReport(
  file: string,
  rows: readonly ReportedRow[],
  { forSpreadsheet }: { forSpreadsheet: boolean },
): Promise<void> {
  const text = file.endsWith('.json')
    ? `${JSON.stringify(rows, null, 2)}\n`
    : stringify([...rows], { header: true, columns: COLUMNS, escape_formulas: forSpreadsheet });
  await writeFile(file, text, { mode: 0o600 });
}

const COLUMNS: (keyof ReportedRow)[] = [
  'row',
  'hostname',
  'external_id',
  'outcome',
  'code',
  'reason',
  'connection_id',
  'certificate',
  'challenge_name',
  'challenge_value',
];
