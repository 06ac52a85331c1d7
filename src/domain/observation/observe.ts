import { baseOf } from '../certificate/dns-validation.ts';
import type { DcOffer } from '../zone/domain-connect.ts';
import { walkAliases, type Lookup } from './alias-path.ts';
import { conflictsWith } from './conflicts.ts';
import type { Detection, DomainName, DomainObservation, ExistingMail } from './domain-observation.ts';
import { nameAbove, type Challenge } from '../connection/challenge.ts';
import type {
  ChallengeObservation,
  DelegationObservation,
  NameObservation,
  ObservedType,
  RecordsObservation,
  ServerView,
  WildcardVerdict,
  ZoneObservation,
} from './observation.ts';
import { printableOf } from './printable-text.ts';
import { canonicalValue, type DnsRecord } from '../record.ts';
import {
  aliasAt,
  answered,
  challengeText,
  distinct,
  judgeRecords,
  pathsNeeded,
  valuesSeen,
  type WantedRecord,
} from './verdict.ts';
import { observeWildcard, UNKNOWN_WILDCARD } from './wildcard.ts';

/** Source of an observation: name servers of the real DNS, or the sandbox's table. */
export interface NameServers {
  zoneOf(hostname: string): Promise<ServedZone>;
  /** Asks the public resolvers. Call it only for names whose authoritative answers are right. */
  askResolvers(zone: ServedZone, question: NameQuestion): Promise<ServerView[]>;
  lookup: Lookup;
  /** A label that no zone contains. It shows whether a wildcard answers. */
  unusedLabel: string;
}

export interface ServedZone {
  observation: ZoneObservation;
  /** Asks every authoritative server about one name. */
  ask(question: NameQuestion): Promise<NameObservation>;
  /** Asks one server that has just answered, which is enough for explanations. */
  askOne(question: NameQuestion, heard: ServerView[]): Promise<NameObservation>;
  /** Returns every resolver's view of the delegation to these servers. */
  confirm(): Promise<DelegationObservation>;
}

/** A name, the types to ask for, and values that must be kept when a huge answer is shortened for storage. */
export interface NameQuestion {
  name: string;
  types: ObservedType[];
  keep: ReadonlySet<string>;
}

/** An observation without its times, which the observer adds. */
type Untimed<O> = Omit<O, 'startedAt' | 'finishedAt'>;

export async function observeChallenge(
  servers: NameServers,
  hostname: string,
  challenge: Challenge,
): Promise<Untimed<ChallengeObservation>> {
  const zone = await servers.zoneOf(hostname);
  const text = (name: string): NameQuestion => ({
    name,
    types: ['TXT'],
    keep: new Set([printableOf(challenge.value)]),
  });
  const seen = await zone.ask(text(challenge.name));
  const { observation } = zone;
  const nothing = { bareHost: null, doubled: null, delegation: null, wildcard: UNKNOWN_WILDCARD };
  const observed = { hostname, zone: observation, challenge: seen, ...nothing };
  const { verdict } = challengeText(observed, challenge);
  // The claim depends on the delegation, so one resolver's answer about it is not enough.
  if (verdict === 'match') return { ...observed, delegation: await zone.confirm() };
  if (verdict === 'unknown' || observation.registered === false) return observed;
  const askOne = (name: string, types: ObservedType[]) => zone.askOne({ name, types, keep: new Set() }, seen.servers);
  const [bareHost, doubled, wildcard] = await Promise.all([
    zone.askOne(text(baseOf(hostname)), seen.servers),
    zone.askOne(text(`${challenge.name}.${observation.name ?? ''}`), seen.servers),
    observeWildcard(askOne, servers.unusedLabel, nameAbove(challenge), observation),
  ]);
  return { ...observed, bareHost, doubled, wildcard };
}

export async function observeRecords(
  servers: NameServers,
  hostname: string,
  wanted: WantedRecord[],
): Promise<Untimed<RecordsObservation>> {
  const zone = await servers.zoneOf(hostname);
  const questions = questionsFor(wanted);
  const names = await Promise.all(questions.map((question) => observeWithConflicts(zone, question, wanted)));
  const paths = await Promise.all(pathsNeeded(names, wanted).map((name) => walkAliases(servers.lookup, name)));
  const judged = judgeRecords({ zone: zone.observation, names, paths }, wanted);
  const right = (name: string) => judged.every(({ record, verdict }) => record.host !== name || verdict === 'match');
  const wrong = (name: string) => judged.some(({ record, verdict }) => record.host === name && verdict === 'mismatch');
  const misplaced = zone.observation.registered === false ? [] : names.filter(({ name }) => wrong(name));
  const [resolvers, doubled] = await Promise.all([
    Promise.all(
      questions.map(async (asked, index) =>
        right(asked.name) ? servers.askResolvers(zone, isAlias(names[index]) ? { ...asked, types: ['A'] } : asked) : [],
      ),
    ),
    Promise.all(misplaced.map((seen) => observeDoubled(zone, seen, wanted))),
  ]);
  const complete = names.map((seen, index) => ({ ...seen, resolvers: resolvers[index] ?? [] }));
  return { hostname, zone: zone.observation, names: complete, paths, doubled };
}

/** Observes the name with the zone's name appended a second time, as some panels do. */
function observeDoubled(zone: ServedZone, { name, servers }: NameObservation, wanted: DnsRecord[]) {
  const doubled = `${name}.${zone.observation.name ?? ''}`;
  const records = wanted.filter(({ host }) => host === name).map((record) => ({ ...record, host: doubled }));
  const question = questionsFor(records)[0] ?? { name: doubled, types: [], keep: new Set<string>() };
  return zone.askOne(question, servers);
}

/** Returns one question per name: the wanted types, and both address families if an address or an alias is wanted. */
function questionsFor(wanted: DnsRecord[]): NameQuestion[] {
  const byHost = Map.groupBy(wanted, ({ host }) => host);
  return [...byHost].map(([name, records]) => ({
    name,
    types: distinct(records.flatMap(({ type }) => typesToAsk(type))),
    keep: new Set(
      records.map(({ type, value }) => (type === 'TXT' ? printableOf(value) : canonicalValue(type, value))),
    ),
  }));
}

/** Returns the types to ask for. AAAA is asked with a wanted A, because a stale AAAA takes visitors away. */
function typesToAsk(type: DnsRecord['type']): ObservedType[] {
  return type === 'CNAME' || type === 'ALIAS' || type === 'A' || type === 'AAAA' ? ['A', 'AAAA'] : [type];
}

/**
 * Asks one question where a CNAME is wanted and exists, because a CNAME answers every type (RFC 1034 section 3.6.2).
 * Asks for further types where other records block the CNAME.
 */
async function observeWithConflicts(
  zone: ServedZone,
  question: NameQuestion,
  wanted: DnsRecord[],
): Promise<NameObservation> {
  const wantsAlias = wanted.some(({ host, type }) => host === question.name && type === 'CNAME');
  if (!wantsAlias) return zone.ask(question);
  const seen = await zone.ask({ ...question, types: ['A'] });
  if (isAlias(seen)) return seen;
  const inTheWay = seen.servers.some((view) => answered(view, 'A')?.exists && aliasAt(view) === undefined);
  const types = distinct([...question.types, ...(inTheWay ? (['TXT', 'MX'] as const) : [])]);
  return withAnswers(seen, await zone.ask({ ...question, types: types.filter((type) => type !== 'A') }));
}

/** Whether every server that answers has a CNAME at the name. */
function isAlias(seen: NameObservation | undefined): boolean {
  const heard = seen?.servers.filter((view) => answered(view, 'A')) ?? [];
  return heard.length > 0 && heard.every((view) => aliasAt(view) !== undefined);
}

/** Adds the same servers' answers to further questions. */
function withAnswers(seen: NameObservation, more: NameObservation): NameObservation {
  const servers = seen.servers.map((view) => {
    const same = more.servers.find(
      ({ server }) => server.name === view.server.name && server.address === view.server.address,
    );
    return { ...view, answers: { ...view.answers, ...same?.answers } };
  });
  const proxies = distinct([seen, more].filter(hasAddresses).map(({ proxy }) => proxy));
  return { ...seen, servers, proxy: proxies.length === 1 ? (proxies[0] ?? null) : null };
}

const hasAddresses = ({ servers }: NameObservation): boolean =>
  servers.some((view) => valuesSeen(view, 'A').length + valuesSeen(view, 'AAAA').length > 0);

const EVERYTHING: ObservedType[] = ['A', 'AAAA', 'TXT', 'MX', 'NS', 'CAA'];
const NO_MAIL: ExistingMail = { mx: [], spf: null, dmarc: null };

/** Observes a domain before anything is changed. Only authoritative servers are asked, as in every observation. */
export async function observeDomain(
  servers: NameServers,
  domain: DomainName,
  wanted: DnsRecord[],
  { detection, discover }: { detection: Detection; discover?: (zone: string) => Promise<DcOffer | null> },
): Promise<Untimed<DomainObservation>> {
  const zone = await servers.zoneOf(domain.hostname);
  const { observation } = zone;
  const served = observation.registered !== false;
  const hosts = served ? distinct(wanted.map(({ host }) => host)) : [];
  const [names, wildcard, mail, domainConnect] = await Promise.all([
    Promise.all(hosts.map((name) => zone.ask({ name, types: EVERYTHING, keep: new Set() }))),
    askWildcard(servers, zone, domain.hostname),
    served ? existingMail(servers.lookup, domain.registrableDomain) : NO_MAIL,
    served && discover && observation.name !== null ? discover(observation.name) : null,
  ]);
  const provider = detection.providerOf(served ? observation.nameservers : [], observation.soa);
  return {
    ...domain,
    zone: observation,
    provider,
    capabilities: detection.capabilitiesOf(provider),
    // Answers of a wildcard are not in the way: a record at the name itself replaces them.
    conflicts: conflictsWith(wanted, wildcard.covered ? names.filter(({ name }) => name !== domain.hostname) : names),
    wildcard,
    mail,
    domainConnect,
  };
}

/** Asks every authoritative server whether only a wildcard answers for a name. */
export const askWildcard = ({ unusedLabel }: NameServers, zone: ServedZone, name: string): Promise<WildcardVerdict> =>
  observeWildcard(
    (host, types) => zone.ask({ name: host, types, keep: new Set() }),
    unusedLabel,
    name,
    zone.observation,
  );

async function existingMail(lookup: Lookup, domain: string): Promise<ExistingMail> {
  const [mx, text, dmarc] = await Promise.all([
    lookup(domain, 'MX'),
    lookup(domain, 'TXT'),
    lookup(`_dmarc.${domain}`, 'TXT'),
  ]);
  return {
    mx: mx.values,
    spf: text.values.find((value) => /^v=spf1( |$)/i.test(value)) ?? null,
    dmarc: dmarc.values.find((value) => /^v=DMARC1\s*(;|$)/i.test(value)) ?? null,
  };
}
