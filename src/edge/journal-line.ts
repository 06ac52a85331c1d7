import { STANDINGS, type AdmissionChange, type Standing } from '../domain/edge/admission.ts';
import type { EdgeRoute } from '../domain/edge/own-route.ts';
import type { SigningSecret } from '../domain/edge/signature.ts';

/** One line of the journal. After the fixed fields, lines may be shorter (written by an earlier version) or longer. */
export type Line =
  | ['name', hostname: string, sequence: number, standing: Standing, applicationId: string, ...more: string[]]
  | ['origin', applicationId: string, sequence: number, originUrl: string | null, ...more: (string | null)[]]
  | ['address', originUrl: string, first: string, ...more: string[]]
  | ['trusted', at: number]
  | ['position', epoch: string, after: string];

const SUSPENDED = 'suspended';

export function lineOf(change: AdmissionChange): Line {
  if ('hostname' in change) {
    const { hostname, sequence, standing, application_id, certificate_id, route } = change;
    const own = route === null ? [] : [JSON.stringify(route)];
    const certificate = certificate_id === null && route === null ? [] : [certificate_id ?? ''];
    return ['name', hostname, sequence, standing, application_id, ...certificate, ...own];
  }
  const { application_id, sequence, origin_url, display_name, logo_url, support_url, suspended, secrets } = change;
  const signing = secrets.length === 0 ? null : JSON.stringify(secrets);
  const rest = [display_name, suspended ? SUSPENDED : null, signing, logo_url, support_url];
  return ['origin', application_id, sequence, origin_url, ...rest.slice(0, rest.findLastIndex(isGiven) + 1)];
}

const isGiven = (value: string | null): boolean => value !== null;

export const textOf = (lines: readonly Line[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

export type ChangeLine = Extract<Line, ['name' | 'origin', ...unknown[]]>;

/** Returns the change that `lineOf` wrote. */
export function changeOf(line: ChangeLine): AdmissionChange {
  if (line[0] === 'name') {
    const [, hostname, sequence, standing, application_id, certificate = '', own = 'null'] = line;
    const certificate_id = certificate === '' ? null : certificate;
    const route = own === 'null' ? null : (JSON.parse(own) as EdgeRoute);
    return { hostname, sequence, standing, application_id, certificate_id, route };
  }
  const [, application_id, sequence, origin_url, display_name = null, suspension, signing, logo, support] = line;
  const branding = { display_name, logo_url: logo ?? null, support_url: support ?? null };
  const secrets = JSON.parse(signing ?? '[]') as SigningSecret[];
  return { application_id, sequence, origin_url, ...branding, suspended: suspension === SUSPENDED, secrets };
}

/** Parses a line; undefined if it cannot be read. */
export function lineIn(text: string): Line | undefined {
  try {
    return parsedLine(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns the value if it is a line. Without a schema, because a start reads a million lines. */
export const parsedLine = (value: unknown): Line | undefined =>
  Array.isArray(value) && isLine(value) ? (value as Line) : undefined;

function isLine(line: readonly unknown[]): boolean {
  switch (line[0]) {
    case 'name':
      return (
        typeof line[1] === 'string' &&
        typeof line[2] === 'number' &&
        KNOWN_STANDINGS.has(line[3]) &&
        typeof line[4] === 'string' &&
        areTexts(line, 5)
      );
    case 'origin':
      return typeof line[1] === 'string' && typeof line[2] === 'number' && isTextOrNull(line[3]) && line.slice(4).every(isTextOrNull); // prettier-ignore
    case 'address':
      return line.length >= 3 && areTexts(line, 1);
    case 'trusted':
      return typeof line[1] === 'number';
    case 'position':
      return line.length >= 3 && areTexts(line, 1);
    default:
      return false;
  }
}

const KNOWN_STANDINGS: ReadonlySet<unknown> = new Set(STANDINGS);
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

function areTexts(line: readonly unknown[], from: number): boolean {
  for (let i = from; i < line.length; i++) if (typeof line[i] !== 'string') return false;
  return true;
}
