import { lookupThroughAliases, type Lookup } from './alias-path.ts';
import { parseCaa } from './caa-value.ts';
import type { CaaObservation, CaaRecord } from './observation.ts';

/**
 * The CAA set that a certificate authority will hold against a hostname (RFC 8659 section 3): the first that is not
 * empty on the way from the name to the top, where a name that is an alias has its target's set. An authority refuses
 * when a lookup fails, but we do not know whether it will fail for them too: it stays unknown and blocks nothing.
 */
export async function observeCaa(lookup: Lookup, hostname: string): Promise<CaaObservation> {
  for (let name = hostname; name !== ''; name = name.split('.').slice(1).join('.')) {
    const set = await lookupThroughAliases(lookup, name, 'CAA');
    if (set.cause) return { hostname, outcome: 'unknown', at: name, records: [], cause: set.cause };
    if (set.values.length > 0)
      return { hostname, outcome: 'found', at: set.at, records: set.values.flatMap(caaRecordsOf), cause: null };
  }
  return { hostname, outcome: 'none', at: null, records: [], cause: null };
}

/** Whether an authority that goes by one of these identities may issue for the hostname (RFC 8659 section 4). */
export function judgeCaa(
  { outcome, records }: CaaObservation,
  identities: string[],
): 'allowed' | 'blocked' | 'unknown' {
  if (outcome === 'unknown') return 'unknown';
  if (records.some(({ critical, tag }) => critical && !KNOWN_TAGS.has(tag))) return 'blocked';
  const issuers = records.filter(({ tag }) => tag === 'issue').map(({ value }) => issuerOf(value));
  // A set that speaks only of wildcards or of reports leaves single names to every authority.
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

/** Parameters after the semicolon narrow how an authority may validate, which only the authority can judge. */
const issuerOf = (value: string): string => (value.split(';')[0] ?? '').trim().toLowerCase();
