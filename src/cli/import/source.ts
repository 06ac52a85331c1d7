import type { BatchEntry } from '../../api/batches.ts';
import { GivenRoute } from '../../api/schemas/own-routes.ts';
import type { ForeignCertificate } from '../../certificates/imported.ts';

/** A hostname that moves in, as its reader understood it. */
export interface ImportRow extends BatchEntry {
  /** Certificates that were found for the hostname, one per issuer. */
  certificates?: readonly ForeignCertificate[];
  /** Reason why a certificate that should be there cannot be read. */
  unreadable?: string;
}

/** A file or folder that another service exported. It is read twice: for the plan, and for the move. */
export interface ImportSource {
  /** Reads row by row, so that memory does not grow with the file. */
  rows(findings: Findings): AsyncIterable<ImportRow>;
}

/** Names of fields that are not taken over, each with the number of rows that have it. */
export class IgnoredFields {
  private readonly counts = new Map<string, number>();

  add(field: string, rows = 1): void {
    this.counts.set(field, (this.counts.get(field) ?? 0) + rows);
  }

  /** Counts the fields of a row, except those that the reader understands. Empty values mean nothing. */
  addOf(row: object, known: ReadonlySet<string>, prefix = ''): void {
    for (const [name, value] of Object.entries(row))
      if (!known.has(name) && value !== null && value !== '') this.add(prefix + name);
  }

  list(): { field: string; rows: number }[] {
    return [...this.counts].map(([field, rows]) => ({ field, rows }));
  }
}

/** Findings of a reader in addition to its rows. */
export class Findings {
  readonly ignored = new IgnoredFields();
  /** Sentences about the file as a whole, such as missing pages. */
  readonly warnings: string[] = [];
}

export const refusedRow = (hostname: string, code: string, message: string): ImportRow => ({
  hostname: storable(hostname),
  external_id: null,
  problem: { code, message },
});

/** Postgres stores no NUL. The column of a refused hostname shows its beginning. */
const storable = (hostname: string): string => hostname.replaceAll('\0', '').slice(0, 253);

/** Returns a row with a route, unless the route's fields are not valid. */
export function routedRow(hostname: string, route: object): ImportRow {
  const given = GivenRoute.safeParse(route);
  if (given.success) return { hostname, external_id: null, given: given.data };
  const [issue] = given.error.issues;
  const message = `${issue?.path.join('.') ?? 'The route'}: ${issue?.message ?? 'is not valid'}.`;
  return refusedRow(hostname, 'invalid_route', message);
}
