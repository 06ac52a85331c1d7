import type { Challenge } from '../domain/eyes.ts';
import { aliasAt, answered, distinct, judgeChallenge, judgeRecords, pathsNeeded } from '../domain/verdict.ts';
import type {
  ChallengeObservation,
  NameLook,
  RecordsObservation,
  SeenType,
  ServerView,
} from '../domain/observation.ts';
import { printableOf } from '../domain/printable-text.ts';
import { canonicalValue, type DnsRecord } from '../domain/record.ts';
import { walkAliases } from './alias-path.ts';
import { askResolvers, lookAtName, type NameQuestion } from './name-look.ts';
import type { LookSettings } from './options.ts';
import type { Resolver } from './resolver.ts';
import type { ZoneCuts } from './zone-cut.ts';
import type { Zone } from './zone.ts';

/** Everything a look needs. */
export interface Sight {
  cuts: ZoneCuts;
  resolver: Resolver;
  settings: LookSettings;
}

/** What a look has seen, without the times that the caller puts around it. */
type Seen<O> = Omit<O, 'startedAt' | 'finishedAt'>;

export async function observeChallenge(
  { cuts }: Sight,
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
  const seen = await lookAtName(cuts, zone, text(challenge.name), signal);
  const observation = { hostname, zone: zone.look, challenge: seen, bareHost: null, doubled: null };
  const settled = judgeChallenge(observation, challenge).verdict !== 'mismatch';
  if (settled || zone.look.registered === false) return observation;
  const near = oneOf(zone, seen.servers);
  const [bareHost, doubled] = await Promise.all([
    lookAtName(cuts, near, text(hostname), signal),
    lookAtName(cuts, near, text(`${challenge.name}.${zone.look.name ?? ''}`), signal),
  ]);
  return { ...observation, bareHost, doubled };
}

export async function observeRecords(
  sight: Sight,
  hostname: string,
  wanted: DnsRecord[],
  signal: AbortSignal,
): Promise<Seen<RecordsObservation>> {
  const { cuts } = sight;
  const zone = await cuts.find(hostname, signal);
  const questions = questionsFor(wanted);
  const names = await Promise.all(questions.map((question) => lookWithConflicts(cuts, zone, question, wanted, signal)));
  const paths = await Promise.all(pathsNeeded(names, wanted).map((name) => walkAliases(cuts, name, signal)));
  const judged = judgeRecords({ zone: zone.look, names, paths }, wanted);
  const right = (name: string) => judged.every(({ record, verdict }) => record.host !== name || verdict === 'match');
  const wrong = (name: string) => judged.some(({ record, verdict }) => record.host === name && verdict === 'mismatch');
  const misplaced = zone.look.registered === false ? [] : names.filter(({ name }) => wrong(name));
  const [resolvers, doubled] = await Promise.all([
    Promise.all(questions.map(async (asked) => (right(asked.name) ? await askResolvers(sight, asked, signal) : []))),
    Promise.all(misplaced.map((look) => lookAtDoubled(cuts, zone, look, wanted, signal))),
  ]);
  const complete = names.map((look, index) => ({ ...look, resolvers: resolvers[index] ?? [] }));
  return { hostname, zone: zone.look, names: complete, paths, doubled };
}

/** The name with the zone's name typed a second time, as panels make it that append the zone by themselves. */
function lookAtDoubled(
  cuts: ZoneCuts,
  zone: Zone,
  { name, servers }: NameLook,
  wanted: DnsRecord[],
  signal: AbortSignal,
): Promise<NameLook> {
  const doubled = `${name}.${zone.look.name ?? ''}`;
  const records = wanted.filter(({ host }) => host === name).map((record) => ({ ...record, host: doubled }));
  const question = questionsFor(records)[0] ?? { name: doubled, types: [], keep: new Set<string>() };
  return lookAtName(cuts, oneOf(zone, servers), question, signal);
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
function typesToAsk(type: DnsRecord['type']): SeenType[] {
  return type === 'CNAME' || type === 'ALIAS' || type === 'A' || type === 'AAAA' ? ['A', 'AAAA'] : [type];
}

/** Where a CNAME is wanted and none stands, what else stands there is in its way. */
async function lookWithConflicts(
  cuts: ZoneCuts,
  zone: Zone,
  question: NameQuestion,
  wanted: DnsRecord[],
  signal: AbortSignal,
): Promise<NameLook> {
  const look = await lookAtName(cuts, zone, question, signal);
  const wantsAlias = wanted.some(({ host, type }) => host === question.name && type === 'CNAME');
  const inTheWay = look.servers.some((view) => answered(view, 'A')?.exists && aliasAt(view) === undefined);
  if (!wantsAlias || !inTheWay) return look;
  const types = (['TXT', 'MX'] as const).filter((type) => !question.types.includes(type));
  const more = await lookAtName(cuts, zone, { ...question, types }, signal);
  const servers = look.servers.map((view) => {
    const same = more.servers.find(
      ({ server }) => server.name === view.server.name && server.address === view.server.address,
    );
    return { ...view, answers: { ...view.answers, ...same?.answers } };
  });
  return { ...look, servers };
}

/** For looks that only explain: one server that has just answered is enough. */
function oneOf(zone: Zone, views: ServerView[]): Zone {
  const talking = views.find((view) => Object.values(view.answers).some(({ outcome }) => outcome === 'answered'));
  const servers = zone.servers.filter(({ address }) => address === talking?.server.address);
  return { ...zone, servers: servers.length > 0 ? servers : zone.servers.slice(0, 1) };
}
