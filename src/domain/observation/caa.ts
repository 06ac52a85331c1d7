import { baseOf, isWildcard } from '../certificate/dns-validation.ts';
import { lookupThroughAliases, type Lookup } from './alias-path.ts';
import {
  judgeParameters,
  parseIssueValue,
  UNKNOWN_ACCOUNTS,
  type CaaAccounts,
  type IssueValue,
  type OrderingSource,
  type Restriction,
} from './caa-issue.ts';
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

/** The CAs and the accounts that order certificates for this service. */
export interface OwnOrders {
  /** Names of the CAs in CAA records. */
  identities: readonly string[];
  accounts?: CaaAccounts;
}

export type CaaVerdict =
  | { verdict: 'allowed' }
  /** The set could not be read, or allows `property` alone, whose account we cannot compare. */
  | { verdict: 'unknown'; property: IssueValue | null }
  /** `excluded`: properties that allow our CA, each with the parameter that excludes the source. */
  | { verdict: 'blocked'; excluded: readonly { property: IssueValue; by: Restriction }[] };

/** Judges whether a source may order certificates (RFC 8659 section 4, RFC 8657). One property that allows it is enough. */
export function judgeCaa(
  caa: CaaObservation,
  source: OrderingSource,
  { identities, accounts = UNKNOWN_ACCOUNTS }: OwnOrders,
): CaaVerdict {
  const { outcome, records } = caa;
  if (outcome === 'unknown') return { verdict: 'unknown', property: null };
  if (records.some(({ critical, tag }) => critical && !KNOWN_TAGS.has(tag)))
    return { verdict: 'blocked', excluded: [] };
  const governing = records.filter(({ tag }) => tag === governingTag(caa));
  // A set without this tag allows every certificate authority.
  if (governing.length === 0) return { verdict: 'allowed' };
  const excluded: { property: IssueValue; by: Restriction }[] = [];
  let unknown: IssueValue | null = null;
  for (const { value } of governing) {
    const property = parseIssueValue(value);
    if (property === undefined || !identities.includes(property.issuer)) continue;
    const judged = judgeParameters(property, source, accounts);
    if (judged === 'allowed') return { verdict: 'allowed' };
    if (judged === 'unknown') unknown ??= property;
    else excluded.push({ property, by: judged });
  }
  return unknown === null ? { verdict: 'blocked', excluded } : { verdict: 'unknown', property: unknown };
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
