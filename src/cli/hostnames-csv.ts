import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { Label } from '../api/schemas/common.ts';
import { ServiceError } from '../domain/errors.ts';

export interface HostnameRow {
  hostname: string;
  external_id: string | null;
}

export interface ParsedHostnames {
  rows: HostnameRow[];
  /** Problems, each with its line and column. Their rows are not in `rows`. */
  problems: string[];
}

const Parsed = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) }));
const ExternalId = Label(255);

/** Reads hostnames from CSV (RFC 4180), with columns `hostname` and `external_id` in the header's order or this one. */
export function readHostnames(text: string, check: (hostname: string) => unknown): ParsedHostnames {
  let lines: z.infer<typeof Parsed>;
  try {
    const options = { bom: true, trim: true, skip_empty_lines: true, relax_column_count: true, info: true };
    lines = Parsed.parse(parse(text, options));
  } catch (error) {
    if (error instanceof CsvError) return { rows: [], problems: [unreadable(error)] };
    throw error;
  }
  const header = lines[0]?.record.map((cell) => cell.toLowerCase()) ?? [];
  const named = header.includes('hostname');
  const columns = named ? { hostname: header.indexOf('hostname'), external_id: header.indexOf('external_id') } : PLAIN;
  const read: ParsedHostnames = { rows: [], problems: [] };
  for (const { record, info } of lines.slice(named ? 1 : 0)) {
    const hostname = record[columns.hostname] ?? '';
    const external = columns.external_id < 0 ? '' : (record[columns.external_id] ?? '');
    const found = [
      ...problemsAt(info.lines, columns.hostname, 'hostname', () => check(hostname)),
      ...(external === '' || ExternalId.safeParse(external).success
        ? []
        : [at(info.lines, columns.external_id, 'external_id', 'must be up to 255 printable characters.')]),
    ];
    read.problems.push(...found);
    if (found.length === 0) read.rows.push({ hostname, external_id: external === '' ? null : external });
  }
  return read;
}

const PLAIN = { hostname: 0, external_id: 1 };

const at = (line: number, column: number, name: string, message: string): string =>
  `line ${line}, column ${column + 1} (${name}): ${message}`;

function problemsAt(line: number, column: number, name: string, check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const [detail] = error.details as { suggestion?: string }[];
    const meant = detail?.suggestion === undefined ? '' : ` Did you mean ${detail.suggestion}?`;
    return [at(line, column, name, `${error.message}${meant}`)];
  }
}

/** Adds line and column to the parser's message, if the parser reports them. */
function unreadable(error: CsvError): string {
  const place = z.object({ lines: z.number(), column: z.union([z.number(), z.string()]) }).safeParse(error);
  if (!place.success) return error.message;
  const { lines, column } = place.data;
  return `line ${lines}, column ${typeof column === 'number' ? column + 1 : column}: ${error.message}`;
}
