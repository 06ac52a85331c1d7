import type { CaaObservation, CaaRecord } from './observation.ts';
import { canonicalValue } from './record.ts';

/** Whether an authority that goes by one of these identities may issue for the hostname (RFC 8659 section 4). */
export function judgeCaa(
  { outcome, records }: CaaObservation,
  identities: string[],
): 'allowed' | 'blocked' | 'unknown' {
  if (outcome === 'unknown') return 'unknown';
  if (records.some(({ critical, tag }) => critical && !KNOWN_TAGS.has(tag))) return 'blocked';
  const issuers = records.filter(({ tag }) => tag === 'issue').map(({ value }) => issuerOf(value));
  // A set that speaks only of wildcards or of reports leaves single names to everybody.
  if (issuers.length === 0) return 'allowed';
  return issuers.some((issuer) => identities.includes(issuer)) ? 'allowed' : 'blocked';
}

/** Reads the presentation form in which records carry CAA: `0 issue "letsencrypt.org"`. What is none is left out. */
export function caaRecordsOf(text: string): CaaRecord[] {
  const [, flags = '', tag = '', value = ''] = /^(\d+) (\S+) "(.*)"$/s.exec(canonicalValue('CAA', text)) ?? [];
  return tag === '' ? [] : [{ critical: (Number(flags) & 128) !== 0, tag, value }];
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
