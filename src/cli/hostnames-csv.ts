import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import type { BatchEntry } from '../api/batches.ts';
import { ROUTE_FIELDS } from '../api/own-routes.ts';
import { Label } from '../api/schemas/common.ts';
import { GivenRoute } from '../api/schemas/own-routes.ts';
import type { Variables } from '../domain/connection/variables.ts';
import { ServiceError } from '../domain/errors.ts';

export interface ParsedHostnames {
  /** Every row of the file, in its order. A row that cannot be connected has a problem. */
  rows: BatchEntry[];
  /** The problems as lines for people, each with its place in the file. */
  problems: string[];
  /** Columns that mean nothing here, with the number of rows that fill them. */
  unknown: Map<string, number>;
}

const Parsed = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) }));
const ExternalId = Label(255);

/**
 * Reads hostnames from CSV (RFC 4180), with columns `hostname` and `external_id` in the header's order or this one, and
 * with the fields of a route in columns such as `origin_url` and `redirect.to` if there is a header.
 * `normalize` returns the hostname as it will be connected, or throws why it cannot be.
 */
export function readHostnames(text: string, normalize: (hostname: string) => string): ParsedHostnames {
  let lines: z.infer<typeof Parsed>;
  try {
    const options = { bom: true, trim: true, skip_empty_lines: true, relax_column_count: true, info: true };
    lines = Parsed.parse(parse(text, options));
  } catch (error) {
    if (error instanceof CsvError) return { rows: [], problems: [unreadable(error)], unknown: new Map() };
    throw error;
  }
  const header = lines[0]?.record.map((cell) => cell.toLowerCase()) ?? [];
  const named = header.includes('hostname');
  const columns = named ? { hostname: header.indexOf('hostname'), external_id: header.indexOf('external_id') } : PLAIN;
  const read: ParsedHostnames = { rows: [], problems: [], unknown: new Map() };
  const unknown = named ? unknownIn(header) : [];
  const first = new Map<string, { line: number; external_id: string | null }>();
  for (const { record, info } of lines.slice(named ? 1 : 0)) {
    const [hostname, external] = [record[columns.hostname] ?? '', record[columns.external_id] ?? ''];
    const external_id = external === '' ? null : external;
    for (const [index, column] of unknown)
      if ((record[index] ?? '') !== '') read.unknown.set(column, (read.unknown.get(column) ?? 0) + 1);
    const route = named ? routeIn(header, record) : { given: {} };
    const found =
      problemIn({ hostname, external_id, line: info.lines }, normalize, first) ??
      ('problem' in route ? route.problem : null);
    if (found === null) {
      read.rows.push({ hostname, external_id, ...route, ...(named ? ownIn(header, record) : {}) });
      continue;
    }
    const { column, ...problem } = found;
    const meant = problem.suggestion === undefined ? '' : ` Did you mean ${problem.suggestion}?`;
    const place = named ? header.indexOf(column) : columns[column as keyof typeof PLAIN];
    read.problems.push(`line ${info.lines}, column ${place + 1} (${column}): ${problem.message}${meant}`);
    read.rows.push({
      hostname: storable(hostname),
      external_id: column === 'external_id' ? null : external_id,
      problem,
    });
  }
  return read;
}

const PLAIN = { hostname: 0, external_id: 1 };

type Found = NonNullable<BatchEntry['problem']> & { column: string };

/** Reads the fields of a route. A dot in the name of a column leads into an object. */
function routeIn(header: readonly string[], record: readonly string[]): { given: GivenRoute } | { problem: Found } {
  const fields: Record<string, unknown> = {};
  for (const [index, column] of header.entries()) {
    const cell = record[index] ?? '';
    const [field = '', inner] = column.split(/\.(.*)/);
    if (cell === '' || !ROUTE_FIELDS.some((name) => name === field)) continue;
    fields[field] =
      inner === undefined ? cell : { ...(fields[field] as object), [inner]: VALUES[column]?.(cell) ?? cell };
  }
  const parsed = GivenRoute.safeParse(fields);
  if (parsed.success) return { given: parsed.data };
  const [issue] = parsed.error.issues;
  return {
    problem: { column: issue?.path.join('.') ?? '', code: 'invalid', message: issue?.message ?? 'is not valid' },
  };
}

/** Reads `serve` and the columns `var.<name>`. The names and values are checked with the application's template. */
function ownIn(header: readonly string[], record: readonly string[]): Pick<BatchEntry, 'serve' | 'variables'> {
  const cells = header.map((column, index) => [column, record[index] ?? ''] as const).filter(([, cell]) => cell !== '');
  const variables = cells.flatMap(([column, cell]) =>
    column.startsWith(VAR) ? [[column.slice(VAR.length), cell]] : [],
  );
  const serve = cells.find(([column]) => column === 'serve')?.[1].toLowerCase() !== 'false';
  return { serve, variables: Object.fromEntries(variables) as Variables };
}

const VAR = 'var.';

/** Returns the columns of a header that no field takes its value from, each with its index. */
const unknownIn = (header: readonly string[]): [number, string][] =>
  [...header.entries()].filter(([, column]) => !COLUMNS.has(column.split('.')[0] ?? '') && !column.startsWith(VAR));

const COLUMNS: ReadonlySet<string> = new Set(['hostname', 'external_id', 'serve', ...ROUTE_FIELDS]);

/** Cells that are no text. */
const VALUES: Readonly<Record<string, (cell: string) => unknown>> = {
  'redirect.status': Number,
  'redirect.keep_path': (cell) => ({ true: true, false: false })[cell.toLowerCase()],
  'security_headers.hsts_max_age': Number,
};

/** Returns the problem of a row. `first` remembers the first row of each hostname. */
function problemIn(
  { hostname: given, external_id, line }: { hostname: string; external_id: string | null; line: number },
  normalize: (hostname: string) => string,
  first: Map<string, { line: number; external_id: string | null }>,
): Found | null {
  let hostname: string;
  try {
    hostname = normalize(given);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const [{ code, suggestion } = { code: 'invalid' }] = error.details as { code: string; suggestion?: string }[];
    return { column: 'hostname', code, message: error.message, ...(suggestion === undefined ? {} : { suggestion }) };
  }
  if (external_id !== null && !ExternalId.safeParse(external_id).success)
    return { column: 'external_id', code: 'invalid', message: 'must be up to 255 printable characters.' };
  const earlier = first.get(hostname) ?? { line, external_id };
  first.set(hostname, earlier);
  if (earlier.external_id === external_id) return null;
  const message = `line ${earlier.line} has the same hostname with another external_id. Only one can be connected.`;
  return { column: 'hostname', code: 'duplicate_hostname', message };
}

/** Postgres stores no NUL. The column of a refused hostname shows its beginning. */
const storable = (hostname: string): string => hostname.replaceAll('\0', '').slice(0, 253);

/** Adds line and column to the parser's message, if the parser reports them. */
function unreadable(error: CsvError): string {
  const place = z.object({ lines: z.number(), column: z.union([z.number(), z.string()]) }).safeParse(error);
  if (!place.success) return error.message;
  const { lines, column } = place.data;
  return `line ${lines}, column ${typeof column === 'number' ? column + 1 : column}: ${error.message}`;
}
