import type { Challenge } from '../connection/challenge.ts';
import type {
  AliasPath,
  Answered,
  ChallengeObservation,
  DelegationObservation,
  NameObservation,
  RecordsObservation,
  ObservedRecord,
  ObservedType,
  ServerView,
} from './observation.ts';
import { printableOf } from './printable-text.ts';
import { canonicalValue, plainRecord, type DnsRecord } from '../record.ts';
import { containsPolicy, isSpf } from '../email/spf.ts';
import { isPointer } from '../zone/zone-record.ts';

/** `unknown` means that no server answered, and is no mismatch. Only this file decides what matches. */
export type Verdict = 'match' | 'mismatch' | 'unknown';

export interface ChallengeVerdict {
  verdict: Verdict;
  /** The API's outcome: a mismatch without any TXT record is `missing`. */
  outcome: 'match' | 'missing' | 'mismatch' | 'unknown';
  /** TXT values at the challenge name on any server. */
  observed: string[];
}

/** A record that a check expects. */
export interface WantedRecord extends DnsRecord {
  /** Addresses, in canonical form. A non-empty subset of these is right at the name, so no single one is required. */
  anyOf?: readonly string[];
  /** The verdict of the whole set does not depend on it. */
  required?: false;
}

export interface RecordVerdict {
  record: DnsRecord;
  isRequired: boolean;
  /** For a record with `anyOf`, the verdict about the set. */
  verdict: Verdict;
  /** Whether the authoritative servers agree on the verdict and enough public resolvers return the same. */
  settled: boolean;
  /** Whether the same holds for this very value. Differs from `settled` for a missing value of `anyOf` only. */
  propagated: boolean;
  /** Whether the value is missing and another value of `anyOf` is there. */
  optional: boolean;
  /** Observed values for people; null if there are none or no server answered. */
  observedValue: string | null;
  /** The observed records, from the first server that has any. */
  observed: ObservedRecord[];
}

/** Judges whether a claim may be based on the challenge: the text is right, and resolvers confirm the servers. */
export function judgeChallenge(
  observation: Pick<ChallengeObservation, 'challenge' | 'zone' | 'delegation'>,
  challenge: Challenge,
): ChallengeVerdict {
  const judged = challengeText(observation, challenge);
  const rests = isDelegationConfirmed(observation) && observation.zone.dnssec !== 'bogus';
  return judged.verdict === 'match' && !rests ? { ...judged, verdict: 'unknown', outcome: 'unknown' } : judged;
}

/** Judges the text alone: every answering authoritative server, and at least one, must return the token. */
export function challengeText(
  { challenge, zone }: Pick<ChallengeObservation, 'challenge' | 'zone'>,
  { value }: Challenge,
): ChallengeVerdict {
  if (zone.registered === false) return { verdict: 'mismatch', outcome: 'missing', observed: [] };
  const wanted = printableOf(value);
  const verdict = everyServer(challenge.servers, (view) => hasText(view, wanted));
  const observed = distinct(challenge.servers.flatMap((view) => valuesSeen(view, 'TXT')));
  const outcome = verdict === 'mismatch' && observed.length === 0 ? 'missing' : verdict;
  return { verdict, outcome, observed };
}

/** Whether enough resolvers return the same NS set and address, so that one lying resolver proves nothing. */
export function isDelegationConfirmed({
  challenge,
  delegation,
}: Pick<ChallengeObservation, 'challenge' | 'delegation'>): boolean {
  return isConfirmedBy(challenge.servers, 'TXT', delegation);
}

/** Whether resolvers confirm a server that has answered for this type. */
export function isConfirmedBy(
  views: ServerView[],
  type: ObservedType,
  delegation: DelegationObservation | null,
): boolean {
  if (delegation === null) return false;
  const heard = views.filter((view) => answered(view, type)).map(({ server }) => server.address);
  return agreesOnSet(delegation) && heard.some((address) => agreesOnAddress(delegation, address));
}

const agreesOnSet = ({ nameservers, resolvers }: DelegationObservation): boolean =>
  resolvers.filter((view) => view.nameservers !== null && sameSet(view.nameservers, nameservers)).length >=
  quorum(resolvers.length);

const agreesOnAddress = ({ resolved, resolvers }: DelegationObservation, address: string): boolean =>
  !resolved.includes(address) ||
  resolvers.filter(({ addresses }) => addresses.includes(address)).length >= quorum(resolvers.length);

/** A CNAME is not followed: with a wildcard CNAME, a third party could prove every name. */
function hasText(view: ServerView, wanted: string): Verdict {
  const answer = answered(view, 'TXT');
  if (!answer) return 'unknown';
  return answer.records.some(({ type, value }) => type === 'TXT' && value === wanted) ? 'match' : 'mismatch';
}

type Evidence = Pick<RecordsObservation, 'zone' | 'names' | 'paths'>;

export const judgeRecords = (observation: Evidence, wanted: WantedRecord[]): RecordVerdict[] =>
  wanted.map((record) => judgeRecord(observation, record, wanted));

function judgeRecord(observation: Evidence, wantedRecord: WantedRecord, wanted: WantedRecord[]): RecordVerdict {
  const record = plainRecord(wantedRecord);
  const name = observation.names.find((seen) => seen.name === record.host);
  const isRequired = wantedRecord.required !== false;
  const nothing = {
    record,
    isRequired,
    settled: false,
    propagated: false,
    optional: false,
    observedValue: null,
    observed: [],
  };
  if (observation.zone.registered === false) return { ...nothing, verdict: 'mismatch' };
  if (!name) return { ...nothing, verdict: 'unknown' };
  const verdictAt = (view: ServerView) => judgeView(view, wantedRecord, wanted, observation.paths);
  // Servers that are known only with validation switched off may be forged, so their answers are no evidence.
  const verdict = observation.zone.dnssec === 'bogus' ? 'unknown' : everyServer(name.servers, verdictAt);
  const observed = observedRecords(name, record);
  const enough = (views: ServerView[]) => views.length > 0 && views.length >= quorum(name.resolvers.length);
  const agreeing = name.resolvers.filter((view) => verdictAt(view) === 'match');
  const settled = verdict === 'match' && enough(agreeing);
  const isThere = (view: ServerView) => !isAnotherInPlace(view, wantedRecord, observation.paths);
  return {
    record,
    isRequired,
    verdict,
    settled,
    propagated: settled && name.servers.every(isThere) && enough(agreeing.filter(isThere)),
    optional: isOptional(name, wantedRecord, observation.paths),
    observedValue: observed.map(({ value }) => value).join(', ') || null,
    observed,
  };
}

/** Returns the required number of resolvers: two of three, or all if fewer are configured. */
export const quorum = (resolvers: number): number => (resolvers < 3 ? resolvers : Math.ceil((resolvers * 2) / 3));

/** Combines the verdicts of servers: one mismatch decides; servers without an answer do not count. */
function everyServer(views: ServerView[], verdictAt: (view: ServerView) => Verdict): Verdict {
  const verdicts = new Set(views.map(verdictAt));
  if (verdicts.has('mismatch')) return 'mismatch';
  return verdicts.has('match') ? 'match' : 'unknown';
}

export function judgeView(view: ServerView, record: WantedRecord, wanted: WantedRecord[], paths: AliasPath[]): Verdict {
  switch (record.type) {
    case 'CNAME':
    case 'ALIAS':
      return judgeAlias(view, record, paths);
    case 'A':
    case 'AAAA':
      return judgeAddress(view, record, wanted, paths);
    default:
      return isPolicy(record) ? judgePolicy(view, record) : judgeAdditive(view, record.type, record);
  }
}

/** Whether the record is a sender policy (SPF), which its owner merges with the one that exists. */
export const isPolicy = ({ type, value }: Pick<DnsRecord, 'type' | 'value'>): boolean => type === 'TXT' && isSpf(value);

/** Returns the sender policies that a view has. */
export const policiesIn = (view: ServerView): string[] => valuesSeen(view, 'TXT').filter(isSpf);

/** Judges a sender policy: the published one may allow further senders. */
function judgePolicy(view: ServerView, { value }: DnsRecord): Verdict {
  if (!answered(view, 'TXT')) return 'unknown';
  return containsPolicy(policiesIn(view), value) ? 'match' : 'mismatch';
}

/** Judges a type that allows other values next to the wanted one. */
function judgeAdditive(view: ServerView, type: ObservedType, record: DnsRecord): Verdict {
  const answer = answered(view, type);
  if (!answer) return 'unknown';
  return answer.records.some((seen) => isSame(seen, record)) ? 'match' : 'mismatch';
}

/**
 * Judges an alias: itself, a chain that passes the target, or, if flattened, exactly the target's addresses. With
 * `anyOf` some of them are enough, because a target's name servers may return other addresses in other regions.
 */
function judgeAlias(view: ServerView, { type, value, anyOf }: WantedRecord, paths: AliasPath[]): Verdict {
  const target = canonicalValue(type, value);
  const alias = aliasAt(view);
  if (alias === target) return 'match';
  if (alias !== undefined) {
    const path = pathOf(alias, paths);
    if (path?.through.includes(target)) return 'match';
    return path?.addresses ? 'mismatch' : 'unknown';
  }
  const [ipv4, ipv6] = [answered(view, 'A'), answered(view, 'AAAA')];
  if (!ipv4 || !ipv6) return 'unknown';
  const seen = [...ipv4.records, ...ipv6.records].map(({ value }) => value);
  if (seen.length === 0) return 'mismatch';
  const expected = pathOf(target, paths)?.addresses;
  if (anyOf && isSubset(seen, [...anyOf, ...(expected ?? [])])) return 'match';
  if (!expected) return 'unknown';
  return sameSet(seen, expected) ? 'match' : 'mismatch';
}

/** Judges an address: a second one that is not wanted would send half of the visitors elsewhere. */
function judgeAddress(view: ServerView, record: WantedRecord, wanted: WantedRecord[], paths: AliasPath[]): Verdict {
  const type = record.type === 'AAAA' ? 'AAAA' : 'A';
  const answer = answered(view, type);
  if (!answer) return 'unknown';
  const allowed = valuesWanted(wanted, record.host, type);
  const seen = addressesAt(view, type, paths);
  if (!seen) return 'unknown';
  const enough = record.anyOf ?? [canonicalValue(type, record.value)];
  const present = seen.some((value) => enough.includes(value));
  return present && isSubset(seen, allowed) ? 'match' : 'mismatch';
}

/** Returns the addresses at the name, or those of its alias; undefined if the alias cannot be followed. */
function addressesAt(view: ServerView, type: 'A' | 'AAAA', paths: AliasPath[]): string[] | undefined {
  const alias = aliasAt(view);
  if (alias === undefined) return valuesSeen(view, type);
  return pathOf(alias, paths)?.addresses?.filter((address) => familyOf(address) === type);
}

/** Whether every server that answers has other addresses of `anyOf` in place of this one. */
export function isOptional({ servers }: NameObservation, record: WantedRecord, paths: AliasPath[]): boolean {
  const heard = servers.filter((view) => record.type !== 'ALIAS' && answered(view, record.type));
  return heard.length > 0 && heard.every((view) => isAnotherInPlace(view, record, paths));
}

/** Whether the name has other addresses of `anyOf` and not this one, which is then not required. */
function isAnotherInPlace(view: ServerView, { type, value, anyOf }: WantedRecord, paths: AliasPath[]): boolean {
  if (anyOf === undefined || (type !== 'A' && type !== 'AAAA')) return false;
  const seen = addressesAt(view, type, paths) ?? [];
  return !seen.includes(canonicalValue(type, value)) && seen.some((address) => anyOf.includes(address));
}

/** Returns the wanted values of a record set, in canonical form. */
export const valuesWanted = (wanted: readonly DnsRecord[], host: string, type: ObservedType): string[] =>
  wanted
    .filter((record) => record.host === host && record.type === type)
    .map(({ value }) => canonicalValue(type, value));

/** Returns names whose addresses must be known before these views can be judged. */
export function pathsNeeded(names: NameObservation[], wanted: DnsRecord[]): string[] {
  const needed = wanted.flatMap((record) => {
    if (!isPointer(record)) return [];
    const views = names.filter(({ name }) => name === record.host).flatMap(({ servers }) => servers);
    const target = canonicalValue(record.type, record.value);
    const wantsAlias = record.type === 'CNAME' || record.type === 'ALIAS';
    return views.flatMap((view) => {
      const alias = aliasAt(view);
      if (alias !== undefined) return wantsAlias && alias === target ? [] : [alias];
      const flattened = valuesSeen(view, 'A').length + valuesSeen(view, 'AAAA').length > 0;
      return wantsAlias && flattened ? [target] : [];
    });
  });
  return distinct(needed);
}

/** Returns the CNAME at the name, from the answer to any question. */
export function aliasAt(view: ServerView): string | undefined {
  const records = Object.values(view.answers).flatMap((answer) =>
    answer.outcome === 'answered' ? answer.records : [],
  );
  return records.find(({ type }) => type === 'CNAME')?.value;
}

export function answered(view: ServerView, type: ObservedType): Answered | undefined {
  const answer = view.answers[type];
  return answer?.outcome === 'answered' ? answer : undefined;
}

export const valuesSeen = (view: ServerView, type: ObservedType): string[] =>
  (answered(view, type)?.records ?? []).filter((seen) => seen.type === type).map(({ value }) => value);

/** Whether value and, where it matters, priority are equal. */
export const isSame = (seen: ObservedRecord, record: DnsRecord): boolean =>
  seen.type === record.type &&
  seen.value === spelled(record) &&
  (record.priority === null || seen.priority === record.priority);

/** Returns the wanted value in the spelling of observations. */
const spelled = ({ type, value }: DnsRecord): string =>
  type === 'TXT' ? printableOf(value) : canonicalValue(type, value);

const familyOf = (address: string): 'A' | 'AAAA' => (address.includes(':') ? 'AAAA' : 'A');

const pathOf = (name: string, paths: AliasPath[]): AliasPath | undefined => paths.find((path) => path.name === name);

const sameSet = (a: string[], b: string[]): boolean => {
  const [left, right] = [new Set(a), new Set(b)];
  return left.size === right.size && [...left].every((value) => right.has(value));
};

const isSubset = (some: readonly string[], all: readonly string[]): boolean =>
  some.every((value) => all.includes(value));

export const distinct = <T>(values: T[]): T[] => [...new Set(values)];

/** Returns the records of the first view that has any: the alias, else records of the wanted type, else addresses. */
function observedRecords({ servers }: NameObservation, { type }: DnsRecord): ObservedRecord[] {
  const views = servers.map((view) => {
    const records = Object.values(view.answers).flatMap((answer) =>
      answer.outcome === 'answered' ? answer.records : [],
    );
    const alias = records.find((seen) => seen.type === 'CNAME');
    if (alias) return [alias];
    const types: ObservedType[] = type === 'CNAME' || type === 'ALIAS' ? ['A', 'AAAA'] : [type];
    return records.filter((seen) => types.includes(seen.type));
  });
  return views.find((records) => records.length > 0) ?? [];
}

/** Whether every server is known to be silent, so that a check before the next probe is pointless. */
export const isSilent = (names: NameObservation[]): boolean => {
  const answers = names.flatMap(({ servers }) => servers).flatMap((view) => Object.values(view.answers));
  return answers.length > 0 && answers.every((answer) => answer.outcome === 'unknown' && answer.cause === 'silent');
};
