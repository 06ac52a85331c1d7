import { z } from 'zod';
import { STANDINGS, type AdmissionChange } from '../domain/edge/admission.ts';
import type { EdgeRoute } from '../domain/edge/own-route.ts';
import { AdmissionTable } from './admission-table.ts';

/** One line of the journal: an admission, an application's origin, checked addresses, or a time of trust. */
const Line = z.union([
  z.tuple([z.literal('name'), z.string(), z.number(), z.enum(STANDINGS), z.string()], z.string()),
  z.tuple([z.literal('origin'), z.string(), z.number(), z.string().nullable()], z.string().nullable()),
  z.tuple([z.literal('address'), z.string(), z.string()], z.string()),
  z.tuple([z.literal('trusted'), z.number()]),
]);
export type Line = z.infer<typeof Line>;

const SUSPENDED = 'suspended';

/** The state that the lines of a journal add up to. Lines may repeat; only newer sequences count. */
export class JournalState {
  readonly table = new AdmissionTable();
  readonly addresses = new Map<string, readonly [string, ...string[]]>();
  /** Time at which the table was last trusted; undefined if it never was. */
  trustedAt: number | undefined;

  /** Applies a line. One that cannot be read is left out: it was written by a later version. */
  apply(text: string): void {
    const line = parse(text);
    if (line !== undefined) this.take(line);
  }

  private take(line: Line): void {
    switch (line[0]) {
      case 'name': {
        const [, hostname, sequence, standing, application_id, certificate = '', own = 'null'] = line;
        const certificate_id = certificate === '' ? null : certificate;
        const route = JSON.parse(own) as EdgeRoute | null;
        this.table.apply({ hostname, sequence, standing, application_id, certificate_id, route });
        break;
      }
      case 'origin': {
        const [, application_id, sequence, origin_url, display_name = null, suspended] = line;
        this.table.apply({ application_id, sequence, origin_url, display_name, suspended: suspended === SUSPENDED });
        break;
      }
      case 'address':
        this.addresses.set(line[1], [line[2], ...line.slice(3)]);
        break;
      case 'trusted':
        this.trustedAt = line[1];
    }
  }

  /** Returns lines that add up to the same state. */
  *lines(): Generator<Line> {
    for (const [originUrl, addresses] of this.addresses) yield ['address', originUrl, ...addresses];
    if (this.trustedAt !== undefined) yield ['trusted', this.trustedAt];
    for (const change of this.table.changes()) yield lineOf(change);
  }
}

export function lineOf(change: AdmissionChange): Line {
  if ('hostname' in change) {
    const { hostname, sequence, standing, application_id, certificate_id, route } = change;
    const own = route === null ? [] : [JSON.stringify(route)];
    const certificate = certificate_id === null && route === null ? [] : [certificate_id ?? ''];
    return ['name', hostname, sequence, standing, application_id, ...certificate, ...own];
  }
  const { application_id, sequence, origin_url, display_name, suspended } = change;
  return ['origin', application_id, sequence, origin_url, display_name, ...(suspended ? [SUSPENDED] : [])];
}

export const textOf = (lines: readonly Line[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

function parse(text: string): Line | undefined {
  try {
    return Line.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
