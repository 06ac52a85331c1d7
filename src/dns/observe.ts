import type { Challenge } from '../domain/observer.ts';
import { aliasAt, answered, distinct, judgeChallenge, judgeRecords, pathsNeeded } from '../domain/verdict.ts';
import type {
  ChallengeObservation,
  NameObservation,
  RecordsObservation,
  ObservedType,
  ServerView,
} from '../domain/observation.ts';
import { printableOf } from '../domain/printable-text.ts';
import { canonicalValue, type DnsRecord } from '../domain/record.ts';
import { walkAliases } from './alias-path.ts';
import { askResolvers, observeName, type NameQuestion } from './observe-name.ts';
import type { ObserverSettings } from './options.ts';
import type { Resolver } from './resolver.ts';
import type { ZoneCuts } from './zone-cut.ts';
import type { AuthoritativeZone } from './authoritative-zone.ts';

/** Everything a look needs. */
export interface ObserverContext {
  cuts: ZoneCuts;
  resolver: Resolver;
  settings: ObserverSettings;
}

/** What a look has seen, without the times that the caller puts around it. */
type Seen<O> = Omit<O, 'startedAt' | 'finishedAt'>;

export async function observeChallenge(
  { cuts }: ObserverContext,
  hostname: string,
  challenge: Challenge,
  signal: AbortSignal,
): Promise<Seen<ChallengeObservation>> {
  const zone = await cuts.find(hostname, signal);
  const text = (name: string): NameQuestion => ({
    name,
    types: ['TXT'],
    keep: new Set([printableOf(challenge.value)]),
  });
  const seen = await observeName(cuts, zone, text(challenge.name), signal);
  const observation = { hostname, zone: zone.observation, challenge: seen, bareHost: null, doubled: null };
  const settled = judgeChallenge(observation, challenge).verdict !== 'mismatch';
  if (settled || zone.observation.registered === false) return observation;
  const near = oneOf(zone, seen.servers);
  const [bareHost, doubled] = await Promise.all([
    observeName(cuts, near, text(hostname), signal),
    observeName(cuts, near, text(`${challenge.name}.${zone.observation.name ?? ''}`), signal),
  ]);
  return { ...observation, bareHost, doubled };
}

export async function observeRecords(
  context: ObserverContext,
  hostname: string,
  wanted: DnsRecord[],
  signal: AbortSignal,
): Promise<Seen<RecordsObservation>> {
  const { cuts } = context;
  const zone = await cuts.find(hostname, signal);
  const questions = questionsFor(wanted);
  const names = await Promise.all(
    questions.map((question) => observeWithConflicts(cuts, zone, question, wanted, signal)),
  );
  const paths = await Promise.all(pathsNeeded(names, wanted).map((name) => walkAliases(cuts, name, signal)));
  const judged = judgeRecords({ zone: zone.observation, names, paths }, wanted);
  const right = (name: string) => judged.every(({ record, verdict }) => record.host !== name || verdict === 'match');
  const wrong = (name: string) => judged.some(({ record, verdict }) => record.host === name && verdict === 'mismatch');
  const misplaced = zone.observation.registered === false ? [] : names.filter(({ name }) => wrong(name));
  const [resolvers, doubled] = await Promise.all([
    Promise.all(questions.map(async (asked) => (right(asked.name) ? await askResolvers(context, asked, signal) : []))),
    Promise.all(misplaced.map((look) => observeDoubled(cuts, zone, look, wanted, signal))),
  ]);
  const complete = names.map((look, index) => ({ ...look, resolvers: resolvers[index] ?? [] }));
  return { hostname, zone: zone.observation, names: complete, paths, doubled };
}

/** The name with the zone's name typed a second time, as panels make it that append the zone by themselves. */
function observeDoubled(
  cuts: ZoneCuts,
  zone: AuthoritativeZone,
  { name, servers }: NameObservation,
  wanted: DnsRecord[],
  signal: AbortSignal,
): Promise<NameObservation> {
  const doubled = `${name}.${zone.observation.name ?? ''}`;
  const records = wanted.filter(({ host }) => host === name).map((record) => ({ ...record, host: doubled }));
  const question = questionsFor(records)[0] ?? { name: doubled, types: [], keep: new Set<string>() };
  return observeName(cuts, oneOf(zone, servers), question, signal);
}

/** One question per name: the wanted types, and both address families where either of them or an alias is wanted. */
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

/**
 * An alias shows in any answer, so A and AAAA tell alias, flattening and stray addresses alike. AAAA beside a wanted A
 * is asked because a stale one there takes the visitors away.
 */
function typesToAsk(type: DnsRecord['type']): ObservedType[] {
  return type === 'CNAME' || type === 'ALIAS' || type === 'A' || type === 'AAAA' ? ['A', 'AAAA'] : [type];
}

/** Where a CNAME is wanted and none stands, what else stands there is in its way. */
async function observeWithConflicts(
  cuts: ZoneCuts,
  zone: AuthoritativeZone,
  question: NameQuestion,
  wanted: DnsRecord[],
  signal: AbortSignal,
): Promise<NameObservation> {
  const look = await observeName(cuts, zone, question, signal);
  const wantsAlias = wanted.some(({ host, type }) => host === question.name && type === 'CNAME');
  const inTheWay = look.servers.some((view) => answered(view, 'A')?.exists && aliasAt(view) === undefined);
  if (!wantsAlias || !inTheWay) return look;
  const types = (['TXT', 'MX'] as const).filter((type) => !question.types.includes(type));
  const more = await observeName(cuts, zone, { ...question, types }, signal);
  const servers = look.servers.map((view) => {
    const same = more.servers.find(
      ({ server }) => server.name === view.server.name && server.address === view.server.address,
    );
    return { ...view, answers: { ...view.answers, ...same?.answers } };
  });
  return { ...look, servers };
}

/** For looks that only explain: one server that has just answered is enough. */
function oneOf(zone: AuthoritativeZone, views: ServerView[]): AuthoritativeZone {
  const talking = views.find((view) => Object.values(view.answers).some(({ outcome }) => outcome === 'answered'));
  const servers = zone.servers.filter(({ address }) => address === talking?.server.address);
  return { ...zone, servers: servers.length > 0 ? servers : zone.servers.slice(0, 1) };
}
