import { baseOf, isWildcard } from '../certificate/dns-validation.ts';
import { lookupThroughAliases, type Lookup } from './alias-path.ts';
import { parseCaa } from './caa-value.ts';
import type { CaaObservation, CaaRecord } from './observation.ts';

/** Finds the CAA set that governs a hostname, for a wildcard that of its domain (RFC 8659 section 3). */
export async function observeCaa(lookup: Lookup, hostname: string): Promise<CaaObservation> {
  for (let name = baseOf(hostname); name !== ''; name = name.split('.').slice(1).join('.')) {
    const set = await lookupThroughAliases(lookup, name, 'CAA');
    // A failed lookup of ours blocks nothing.
    if (set.cause) return { hostname, outcome: 'unknown', at: name, records: [], cause: set.cause };
    if (set.values.length > 0)
      return { hostname, outcome: 'found', at: set.at, records: set.values.flatMap(caaRecordsOf), cause: null };
  }
  return { hostname, outcome: 'none', at: null, records: [], cause: null };
}

/** Judges whether a certificate authority with one of these identities may issue (RFC 8659 section 4). */
export function judgeCaa(caa: CaaObservation, identities: string[]): 'allowed' | 'blocked' | 'unknown' {
  const { outcome, records } = caa;
  if (outcome === 'unknown') return 'unknown';
  if (records.some(({ critical, tag }) => critical && !KNOWN_TAGS.has(tag))) return 'blocked';
  const governing = governingTag(caa);
  const issuers = records.filter(({ tag }) => tag === governing).map(({ value }) => issuerOf(value));
  // A set without this tag allows every certificate authority.
  if (issuers.length === 0) return 'allowed';
  return issuers.some((issuer) => identities.includes(issuer)) ? 'allowed' : 'blocked';
}

/** Returns the tag that restricts issuance: `issuewild` counts for wildcards only, and then alone (section 4.3). */
export const governingTag = ({ hostname, records }: Pick<CaaObservation, 'hostname' | 'records'>) =>
  isWildcard(hostname) && records.some(({ tag }) => tag === 'issuewild') ? 'issuewild' : 'issue';

function caaRecordsOf(text: string): CaaRecord[] {
  const parsed = parseCaa(text);
  return parsed ? [{ critical: (parsed.flags & 128) !== 0, tag: parsed.tag, value: parsed.value }] : [];
}

const KNOWN_TAGS: ReadonlySet<string> = new Set([
  'issue',
  'issuewild',
  'iodef',
  'issuemail',
  'contactemail',
  'contactphone',
]);

/** Parameters after the semicolon restrict how the certificate authority validates, which only it can judge. */
const issuerOf = (value: string): string => (value.split(';')[0] ?? '').trim().toLowerCase();
