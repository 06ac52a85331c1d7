import { lookupThroughAliases, type Lookup } from './alias-path.ts';
import { parseCaa } from './caa-value.ts';
import type { CaaObservation, CaaRecord } from './observation.ts';

/** Finds the CAA set that governs a hostname (RFC 8659 section 3). A failed lookup of ours blocks nothing. */
export async function observeCaa(lookup: Lookup, hostname: string): Promise<CaaObservation> {
  for (let name = hostname; name !== ''; name = name.split('.').slice(1).join('.')) {
    const set = await lookupThroughAliases(lookup, name, 'CAA');
    if (set.cause) return { hostname, outcome: 'unknown', at: name, records: [], cause: set.cause };
    if (set.values.length > 0)
      return { hostname, outcome: 'found', at: set.at, records: set.values.flatMap(caaRecordsOf), cause: null };
  }
  return { hostname, outcome: 'none', at: null, records: [], cause: null };
}

/** Judges whether a certificate authority with one of these identities may issue (RFC 8659 section 4). */
export function judgeCaa(
  { outcome, records }: CaaObservation,
  identities: string[],
): 'allowed' | 'blocked' | 'unknown' {
  if (outcome === 'unknown') return 'unknown';
  if (records.some(({ critical, tag }) => critical && !KNOWN_TAGS.has(tag))) return 'blocked';
  const issuers = records.filter(({ tag }) => tag === 'issue').map(({ value }) => issuerOf(value));
  // A set without `issue` allows every certificate authority for single hostnames.
  if (issuers.length === 0) return 'allowed';
  return issuers.some((issuer) => identities.includes(issuer)) ? 'allowed' : 'blocked';
}

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
