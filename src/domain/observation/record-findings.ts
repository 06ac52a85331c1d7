import type { Finding } from './finding.ts';
import {
  aliasAt,
  answered,
  distinct,
  isOptional,
  isPolicy,
  isSame,
  judgeView,
  policiesIn,
  valuesSeen,
  valuesWanted,
  type WantedRecord,
} from './verdict.ts';
import type { AliasPath, NameObservation, RecordsObservation, ObservedType, ServerView } from './observation.ts';
import { printableOf } from './printable-text.ts';
import { canonicalValue, plainRecord, type DnsRecord } from '../record.ts';
import { mergePolicies } from '../email/spf.ts';
import { isPointer } from '../zone/zone-record.ts';
import { list, serverName } from './zone-findings.ts';

type Draft = Omit<Finding, 'record'>;

/** Explains why a wanted record is not found, most helpful reason first, or what is unusual although it is. */
export function recordFindings(
  observation: RecordsObservation,
  name: NameObservation,
  wantedRecord: WantedRecord,
  wanted: WantedRecord[],
): Finding[] {
  // The addresses that are in its place have the findings about the set.
  if (isOptional(name, wantedRecord, observation.paths)) return [];
  const record = plainRecord(wantedRecord);
  const verdictAt = (view: ServerView) => judgeView(view, wantedRecord, wanted, observation.paths);
  const wrong = name.servers.filter((view) => verdictAt(view) === 'mismatch');
  const right = name.servers.filter((view) => verdictAt(view) === 'match');
  const drafts: Draft[] = [];
  if (wrong[0] && right.length > 0) drafts.push(inconsistent(record, wrong));
  else if (wrong[0]) drafts.push(reasonFor(observation, name, wantedRecord, wanted, wrong[0]));
  else if (right[0]) drafts.push(...remarks(wantedRecord, wanted, right[0], observation.paths));
  else drafts.push(...suspicion(record, name, observation.paths));
  const stale = name.resolvers.filter((view) => isAnswered(view) && verdictAt(view) !== 'match');
  if (stale.length > 0) drafts.push(stillCached(record, stale, observation.finishedAt));
  const isRequired = wantedRecord.required !== false;
  return drafts.map((draft) => ({ ...(isRequired ? draft : { ...draft, severity: milder(draft.severity) }), record }));
}

/** An error would keep the connection from being live. */
const milder = (severity: Finding['severity']): Finding['severity'] => (severity === 'error' ? 'warning' : severity);

const isAnswered = (view: ServerView): boolean =>
  Object.values(view.answers).every(({ outcome }) => outcome === 'answered');

function reasonFor(
  { doubled, paths, zone }: RecordsObservation,
  name: NameObservation,
  record: WantedRecord,
  wanted: WantedRecord[],
  view: ServerView,
): Draft {
  const doubledName = `${record.host}.${zone.name ?? ''}`;
  const misplaced = doubled.filter(({ name }) => name === doubledName).flatMap(({ servers }) => servers);
  if (misplaced.some((other) => standsAt(other, record))) return doubledHost(record, doubledName);
  if (name.proxy !== null && isPointer(record)) return proxied(record, name.proxy);
  if (record.type === 'CNAME') return aliasReason(record, view);
  if (record.type === 'ALIAS') return flattenedReason(record, view, paths);
  if (record.type === 'A' || record.type === 'AAAA') return addressReason(record, record.type, wanted, view);
  if (isPolicy(record)) return policyReason(record, view);
  return additiveReason(record, record.type, view);
}

/** Whether the view contains the value itself; flattening and other values are not considered. */
function standsAt(view: ServerView, record: DnsRecord): boolean {
  if (record.type === 'CNAME' || record.type === 'ALIAS')
    return aliasAt(view) === canonicalValue(record.type, record.value);
  return answered(view, record.type)?.records.some((seen) => isSame(seen, record)) ?? false;
}

function aliasReason(record: DnsRecord, view: ServerView): Draft {
  const alias = aliasAt(view);
  if (alias !== undefined) return wrongValue(record, [alias]);
  const standing = (['A', 'AAAA', 'TXT', 'MX'] as const).flatMap((type) =>
    valuesSeen(view, type).map((value) => `${type} ${shortened(value)}`),
  );
  if (standing.length === 0) return missing(record);
  return {
    code: 'cname_conflict',
    severity: 'error',
    message: `${record.host} has ${list(standing)}, and a CNAME cannot exist next to other records.`,
    fix: `Delete ${list(standing)} at ${record.host}, then add the CNAME to ${record.value}.`,
    params: { host: record.host, found: list(standing), value: record.value },
  };
}

function flattenedReason(record: WantedRecord, view: ServerView, paths: AliasPath[]): Draft {
  const alias = aliasAt(view);
  if (alias !== undefined) return wrongValue(record, [alias]);
  const [ipv4, ipv6] = [valuesSeen(view, 'A'), valuesSeen(view, 'AAAA')];
  const resolved = paths.find(({ name }) => name === canonicalValue('ALIAS', record.value))?.addresses ?? [];
  const expected = [...resolved, ...(record.anyOf ?? [])];
  const foreign = ipv6.filter((address) => !expected.includes(address));
  if (ipv4.length > 0 && foreign.length > 0 && ipv4.every((address) => expected.includes(address)))
    return staleAaaa(record, foreign);
  return ipv4.length + ipv6.length > 0 ? wrongValue(record, [...ipv4, ...ipv6]) : missing(record);
}

function addressReason(record: DnsRecord, type: 'A' | 'AAAA', wanted: DnsRecord[], view: ServerView): Draft {
  const alias = aliasAt(view);
  if (alias !== undefined) return wrongValue(record, [alias]);
  const seen = valuesSeen(view, type);
  if (seen.length === 0) return missing(record);
  const allowed = valuesWanted(wanted, record.host, type);
  if (!seen.includes(canonicalValue(type, record.value)))
    // Next to other wanted addresses, this one is to be added and none is to be changed.
    return seen.some((value) => allowed.includes(value)) ? missing(record) : wrongValue(record, seen);
  const extra = seen.filter((value) => !allowed.includes(value));
  return {
    code: 'extra_values',
    severity: 'error',
    message: `${record.host} points to ${record.value}, but also to ${list(extra)}, so some visitors reach another server.`,
    fix: `Delete the ${type} ${extra.length > 1 ? 'records' : 'record'} ${list(extra)} at ${record.host}.`,
    params: { host: record.host, found: list(extra) },
  };
}

/** The owner's policy stays, and gets the missing senders. */
function policyReason(record: DnsRecord, view: ServerView): Draft {
  const existing = policiesIn(view);
  if (existing.length === 0) return missing(record);
  return wrongValue({ ...record, value: mergePolicies(existing, record.value) }, existing);
}

function additiveReason(record: DnsRecord, type: ObservedType, view: ServerView): Draft {
  const seen = valuesSeen(view, type);
  if (type === 'TXT' && seen.some((value) => isQuoted(value, record.value))) return quoted(record);
  // TXT records of many purposes share a name. Only a name below an underscore (RFC 8552) serves a single purpose.
  const ownPurpose = type !== 'TXT' || record.host.startsWith('_');
  return seen.length > 0 && ownPurpose ? wrongValue(record, seen) : missing(record);
}

/** Whether the value was typed with quotation marks, straight or curly, as part of it. */
export function isQuoted(seen: string, value: string): boolean {
  const inner = /^\s*(?:\\092)?["'“”„‘’«»](.*?)(?:\\092)?["'“”‘’«»]\s*$/su.exec(seen)?.[1];
  return inner !== undefined && inner.trim() === printableOf(value);
}

function remarks(record: WantedRecord, wanted: WantedRecord[], view: ServerView, paths: AliasPath[]): Draft[] {
  const isAlias = record.type === 'CNAME' || record.type === 'ALIAS';
  if (isAlias && aliasAt(view) === undefined && paths.length > 0) return [flattenedOk(record)];
  if (record.type !== 'A' || aliasAt(view) !== undefined) return [];
  const allowed = valuesWanted(wanted, record.host, 'AAAA');
  const ours = [...allowed, ...(record.anyOf ?? [])];
  const foreign = valuesSeen(view, 'AAAA').filter((address) => !ours.includes(address));
  return foreign.length > 0 && allowed.length === 0 ? [staleAaaa(record, foreign)] : [];
}

/** Reports an alias that cannot be followed. If our own target has no addresses to compare, the fault is ours. */
function suspicion(record: DnsRecord, { servers }: NameObservation, paths: AliasPath[]): Draft[] {
  if (!isPointer(record)) return [];
  const alias = servers.map(aliasAt).find((target) => target !== undefined);
  if (alias !== undefined) return [{ ...wrongValue(record, [alias]), severity: 'warning' }];
  const target = paths.find(({ name }) => name === canonicalValue(record.type, record.value));
  return target?.addresses === null ? [targetUnresolved(record)] : [];
}

const targetUnresolved = (record: DnsRecord): Draft => ({
  code: 'edge_unreachable',
  severity: 'warning',
  message: `We can't resolve ${record.value} at the moment, so we don't know whether the addresses at ${record.host} are right.`,
  fix: 'Nothing needs to change in this domain. The operator of the service must fix the DNS of its own target.',
  params: { host: record.host, value: record.value },
});

export const asTyped = ({ type, value, priority }: DnsRecord): string =>
  `${type} ${priority === null ? '' : `${priority} `}${value}`;

export const missing = (record: DnsRecord): Draft => ({
  code: 'missing',
  severity: 'error',
  message: `There is no ${record.type === 'ALIAS' ? 'ALIAS or flattened CNAME' : record.type} record ${record.value} at ${record.host}.`,
  fix: `Add ${asTyped(record)} at ${record.host}.`,
  params: { host: record.host, value: record.value },
});

export const wrongValue = (record: DnsRecord, seen: string[]): Draft => ({
  code: 'wrong_value',
  severity: 'error',
  message: `${record.host} has ${list(distinct(seen).map(shortened))} where ${record.value} is needed.`,
  fix: `Change the record at ${record.host} to ${asTyped(record)}.`,
  params: { host: record.host, found: list(distinct(seen).map(shortened)), value: record.value },
});

export const doubledHost = (record: DnsRecord, doubledName: string): Draft => ({
  code: 'doubled_host',
  severity: 'error',
  message: `The record is at ${doubledName}: the DNS provider appended the domain to a name that already ended in it.`,
  fix: `Move the record to ${record.host}. In most panels you type only the part before the domain.`,
  params: { found: doubledName, host: record.host },
});

export const quoted = (record: DnsRecord): Draft => ({
  code: 'quoted_value',
  severity: 'error',
  message: `The value at ${record.host} contains quotation marks.`,
  fix: `Enter the value at ${record.host} without quotation marks: ${record.value}`,
  params: { host: record.host, value: record.value },
});

export const inconsistent = (record: DnsRecord, wrong: ServerView[]): Draft => ({
  code: 'ns_inconsistent',
  severity: 'warning',
  message: `Not every name server has ${asTyped(record)} at ${record.host} yet: ${list(wrong.map(({ server }) => serverName(server)))} still ${wrong.length > 1 ? 'return' : 'returns'} something else.`,
  fix: 'Name servers usually agree within minutes. If they do not, ask the DNS provider why they differ.',
  params: { host: record.host, servers: list(wrong.map(({ server }) => serverName(server))) },
});

const proxied = (record: DnsRecord, proxy: string): Draft => ({
  code: 'proxied',
  severity: 'error',
  message: `${record.host} is behind the proxy of ${proxy}, so we can't see where it points and can't issue a certificate for it.`,
  fix: `At ${proxy}, switch ${record.host} to "DNS only" (the grey cloud), with ${asTyped(record)}.`,
  params: { host: record.host, proxy, value: record.value },
});

const flattenedOk = (record: DnsRecord): Draft => ({
  code: 'flattened_ok',
  severity: 'info',
  message: `${record.host} has the addresses of ${record.value} instead of an alias, which works too.`,
  fix: null,
  params: { host: record.host, value: record.value },
});

const staleAaaa = (record: DnsRecord, foreign: string[]): Draft => ({
  code: 'stale_aaaa',
  severity: 'error',
  message: `${record.host} has the AAAA ${foreign.length > 1 ? 'records' : 'record'} ${list(foreign)}, so visitors and certificate authorities that use IPv6 reach another server.`,
  fix: `Delete the AAAA ${foreign.length > 1 ? 'records' : 'record'} ${list(foreign)} at ${record.host}.`,
  params: { host: record.host, found: list(foreign) },
});

function stillCached(record: DnsRecord, stale: ServerView[], seenAt: string): Draft {
  const answers = stale
    .flatMap((view) => Object.values(view.answers))
    .flatMap((a) => (a.outcome === 'answered' ? [a] : []));
  const seconds = Math.max(0, ...answers.flatMap((a) => [a.negativeTtl ?? 0, ...a.records.map(({ ttl }) => ttl)]));
  const until = new Date(Date.parse(seenAt) + seconds * 1_000).toISOString();
  return {
    code: 'cached_until',
    severity: 'info',
    message: `${list(stale.map(({ server }) => serverName(server)))} still ${stale.length > 1 ? 'have' : 'has'} an older answer cached for ${record.host}, until ${until} at the latest.`,
    fix: null,
    params: { host: record.host, until },
  };
}

const shortened = (value: string): string => (value.length > 100 ? `${value.slice(0, 100)}…` : value);
