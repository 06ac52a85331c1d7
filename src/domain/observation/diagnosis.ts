import { challengeRecord, type Challenge } from '../connection/challenge.ts';
import { isSynthesized } from './cname-proof.ts';
import type { Finding } from './finding.ts';
import {
  aliasAt,
  answered,
  challengeText,
  distinct,
  isDelegationConfirmed,
  valuesSeen,
  type Verdict,
  type WantedRecord,
} from './verdict.ts';
import type {
  ChallengeObservation,
  CnameObservation,
  Observation,
  NameObservation,
  RecordsObservation,
  ServerView,
  WildcardVerdict,
} from './observation.ts';
import { printableOf } from './printable-text.ts';
import {
  asTyped,
  doubledHost,
  inconsistent,
  isQuoted,
  missing,
  quoted,
  recordFindings,
  wrongValue,
} from './record-findings.ts';
import type { DnsRecord } from '../record.ts';
import { list, unconfirmedDelegation, zoneFindings } from './zone-findings.ts';

export interface Before {
  nameservers?: string[];
}

/** Explains an observation of the challenge to the customer. Pure, so that API, widget and CLI agree. */
export function diagnoseChallenge(
  observation: ChallengeObservation,
  challenge: Challenge,
  before: Before = {},
): Finding[] {
  const { servers } = observation.challenge;
  const zone = zoneFindings(observation, servers, before.nameservers ?? []);
  const judged = challengeText(observation, challenge);
  if (judged.verdict === 'match' && observation.zone.dnssec !== 'bogus' && !isDelegationConfirmed(observation))
    return [unconfirmedDelegation(observation), ...zone];
  if (judged.verdict !== 'mismatch' || observation.zone.registered === false) return zone;
  const record = challengeRecord(challenge);
  const hasToken = (view: ServerView) => valuesSeen(view, 'TXT').includes(printableOf(challenge.value));
  const wrong = servers.filter((view) => view.answers.TXT?.outcome === 'answered' && !hasToken(view));
  const reason = servers.some(hasToken)
    ? inconsistent(record, wrong)
    : challengeReason(observation, record, judged.observed);
  return [{ ...reason, record }, ...wildcardFindings(observation.hostname, observation.wildcard), ...zone];
}

/** Explains why the CNAME does not prove the hostname. */
export function diagnoseCname(
  observation: CnameObservation,
  record: DnsRecord,
  verdict: Verdict,
  before: Before = {},
): Finding[] {
  const { servers } = observation.alias;
  const zone = zoneFindings(observation, servers, before.nameservers ?? []);
  if (verdict === 'unknown' && observation.delegation !== null && observation.zone.dnssec !== 'bogus')
    return [unconfirmedDelegation(observation, 'CNAME'), ...zone];
  if (verdict !== 'mismatch' || observation.zone.registered === false) return zone;
  return [{ ...cnameReason(observation, record), record }, ...zone];
}

function cnameReason(observation: CnameObservation, record: DnsRecord): Omit<Finding, 'record'> {
  const { servers } = observation.alias;
  const seen = (view: ServerView) => valuesSeen(view, 'CNAME');
  const isRight = (view: ServerView) => seen(view).includes(record.value);
  const wrong = servers.filter((view) => answered(view, 'CNAME') && !isRight(view));
  if (wrong.length > 0 && servers.some(isRight)) return inconsistent(record, wrong);
  if (wrong.length > 0) {
    const found = distinct(servers.flatMap(seen));
    return found.length > 0 ? wrongValue(record, found) : missing(record);
  }
  const fix = `Add a CNAME to ${record.value} at ${record.host} itself, and remove the wildcard, or prove the hostname by TXT.`;
  const message = `Every label next to ${record.host} points to ${record.value}, so a wildcard may have made its CNAME, which proves nothing.`;
  return isSynthesized(observation, record.value)
    ? { code: 'cname_conflict', severity: 'error', message, fix }
    : missing(record);
}

function challengeReason(
  { challenge, bareHost, doubled, wildcard }: ChallengeObservation,
  record: DnsRecord,
  observed: string[],
): Omit<Finding, 'record'> {
  const alias = challenge.servers.map(aliasAt).find((target) => target !== undefined);
  // The CNAME of a wildcard is not in the way: the TXT record replaces its answer.
  if (alias !== undefined && wildcard.covered) return missing(record);
  if (alias !== undefined)
    return {
      code: 'challenge_is_cname',
      severity: 'error',
      message: `${record.host} is a CNAME to ${alias}. We accept the proof only at the name itself.`,
      fix: `Delete the CNAME at ${record.host} (it may come from a wildcard), then add the TXT record with the value ${record.value}.`,
      params: { host: record.host, found: alias, value: record.value },
    };
  if (observed.some((value) => isQuoted(value, record.value))) return quoted(record);
  if (doubled && holds(doubled, record.value)) return doubledHost(record, doubled.name);
  if (bareHost && holds(bareHost, record.value))
    return {
      code: 'challenge_at_bare_host',
      severity: 'error',
      message: `The value is at ${bareHost.name} itself, but belongs at ${record.host}.`,
      fix: `Move the TXT record to ${record.host}.`,
      params: { found: bareHost.name, host: record.host },
    };
  return observed.length > 0 ? wrongValue(record, observed) : missing(record);
}

const holds = ({ servers }: NameObservation, value: string): boolean =>
  servers.some((view) => valuesSeen(view, 'TXT').includes(printableOf(value)));

/** Returns a finding if a record below the hostname would take the hostname out of DNS. */
export function wildcardFindings(hostname: string, { covered, wildcard, records }: WildcardVerdict): Finding[] {
  if (!covered || wildcard === null) return [];
  const first = records.map((record) => `${asTyped(record)} at ${record.host}`);
  return [
    {
      code: 'wildcard_covers_hostname',
      severity: 'warning',
      message: `${hostname} exists only through the wildcard ${wildcard}. Any record below it, such as the TXT record that proves ownership, ends that, and visitors no longer reach it (RFC 4592).`,
      fix: `Before all other records, add ${list(first)}. The record that points to us replaces what you add at ${hostname}.`,
      records,
      params: { hostname, wildcard, records: distinct(records.map(asTyped)).join(', ') },
    },
  ];
}

/** Returns findings about a zone before any record is wanted in it. */
export const diagnoseZone = (observation: Observation): Finding[] => zoneFindings(observation, [], []);

export function diagnoseRecords(
  observation: RecordsObservation,
  wanted: WantedRecord[],
  before: Before = {},
): Finding[] {
  const views = observation.names.flatMap(({ servers }) => servers);
  const dnssec = observation.names.some(isRefusedByResolver) ? 'bogus' : observation.zone.dnssec;
  const zone = zoneFindings({ ...observation, zone: { ...observation.zone, dnssec } }, views, before.nameservers ?? []);
  if (observation.zone.registered === false) return zone;
  const records = wanted.flatMap((record) => {
    const name = observation.names.find((seen) => seen.name === record.host);
    return name ? recordFindings(observation, name, record, wanted) : [];
  });
  return [...records, ...zone];
}

/** Whether a validating resolver refuses the name, regardless of the zone above it. */
const isRefusedByResolver = ({ resolvers }: NameObservation): boolean =>
  resolvers.some(({ answers }) =>
    Object.values(answers).some((answer) => answer.outcome === 'unknown' && answer.cause === 'bogus'),
  );
