import { normalizeHostname } from '../../domain/hostname.ts';

/** A line of the file, as text. */
interface Line {
  cells: string[];
  /** Number of the line in which the row begins. */
  line: number;
}

/** Reads CSV (RFC 4180) as the command `batch create` does: cells are trimmed, and empty lines are skipped. */
export function readCsv(text: string): Line[] {
  const lines: Line[] = [];
  let cells: string[] = [];
  let line = 1;
  let begin = 1;
  const end = () => {
    if (cells.some((cell) => cell !== '')) lines.push({ cells, line: begin });
    cells = [];
  };
  for (const [, quoted, plain = '', separator = ''] of text.replace(/^\uFEFF/, '').matchAll(CELL)) {
    const value = quoted === undefined ? plain : quoted.replaceAll('""', '"');
    if (cells.length === 0) begin = line;
    cells.push(value.trim());
    line += (quoted?.match(/\n/g)?.length ?? 0) + (separator === '' || separator === ',' ? 0 : 1);
    if (separator !== ',') end();
    if (separator === '') break;
  }
  return lines;
}
/** A cell, quoted or plain, and what ends it. */
const CELL = /[ \t]*(?:"((?:[^"]|"")*)"[ \t]*|([^,\r\n]*))(,|\r\n|\n|\r|$)/gy;

/** A row of a batch, as POST /batches takes it. */
interface Entry {
  hostname: string;
  external_id?: string;
  serve?: boolean;
  variables?: Record<string, string>;
  [field: string]: unknown;
}

export interface Row {
  /** Position in the batch, starting at 1. */
  row: number;
  line: number;
  entry: Entry;
  /** Why the service refuses the row, and what was probably meant. */
  problem: string | null;
}

interface ReadFile {
  rows: Row[];
  /** Columns that mean nothing to the service. */
  unknown: string[];
}

const ROUTE = new Set(['origin_url', 'host_header', 'metadata', 'redirect', 'security_headers', 'maintenance']);
const VAR = 'var.';
/** Cells that are no text. */
const VALUES: Readonly<Record<string, (cell: string) => unknown>> = {
  'redirect.status': Number,
  'redirect.keep_path': (cell) => ({ true: true, false: false })[cell.toLowerCase()] ?? cell,
  'security_headers.hsts_max_age': Number,
};

/** Reads the rows of a batch. Columns are `hostname` and `external_id`, or those that a header names. */
export function readRows(text: string, isTest: boolean): ReadFile {
  const lines = readCsv(text);
  const header = lines[0]?.cells.map((cell) => cell.toLowerCase()) ?? [];
  const isNamed = header.includes('hostname');
  const columns = isNamed ? header : ['hostname', 'external_id'];
  const first = new Map<string, Row>();
  const rows = lines.slice(isNamed ? 1 : 0).map(({ cells, line }, i): Row => {
    const entry = entryOf(columns, cells);
    const row: Row = { row: i + 1, line, entry, problem: null };
    return { ...row, problem: problemOf(row, isTest, first) };
  });
  return { rows, unknown: isNamed ? header.filter((column) => !isKnown(column)) : [] };
}

const isKnown = (column: string): boolean =>
  ['hostname', 'external_id', 'serve'].includes(column) ||
  column.startsWith(VAR) ||
  ROUTE.has(column.split('.')[0] ?? '');

function entryOf(columns: readonly string[], cells: readonly string[]): Entry {
  const entry: Entry = { hostname: '' };
  for (const [i, column] of columns.entries()) {
    const cell = cells[i] ?? '';
    const [field = '', inner] = column.split(/\.(.*)/);
    if (cell === '') continue;
    if (column === 'hostname' || column === 'external_id') entry[column] = cell;
    else if (column === 'serve') entry.serve = cell.toLowerCase() !== 'false';
    else if (column.startsWith(VAR)) entry.variables = { ...entry.variables, [column.slice(VAR.length)]: cell };
    else if (ROUTE.has(field))
      entry[field] = inner === undefined ? cell : { ...(entry[field] as object), [inner]: VALUES[column]?.(cell) ?? cell }; // prettier-ignore
  }
  return entry;
}

/** Checks what a browser can check. The service checks the rest, and its answer names the rows that it refused. */
function problemOf(row: Row, isTest: boolean, first: Map<string, Row>): string | null {
  const { hostname: given, external_id, serve = true } = row.entry;
  const result = normalizeHostname(given, { test: isTest, wildcard: true });
  if (!result.ok) return result.suggestion === undefined ? result.message : `${result.message} Did you mean ${result.suggestion}?`; // prettier-ignore
  if (!serve) return null;
  const earlier = first.get(result.hostname) ?? row;
  first.set(result.hostname, earlier);
  if (earlier.entry.external_id === external_id) return null;
  return `Line ${earlier.line} has the same hostname with another external_id. Only one can be connected.`;
}
