import { randomBytes } from 'node:crypto';
import { baseOf } from '../domain/certificate/dns-validation.ts';
import type { Challenge } from '../domain/connection/challenge.ts';
import type { Found } from '../domain/observation/alias-path.ts';
import { printableOf } from '../domain/observation/printable-text.ts';
import { challengeText } from '../domain/observation/verdict.ts';
import type { NameQuestion, NameServers, ServedZone } from '../domain/observation/observe.ts';
import type { ObservedType, ServerView } from '../domain/observation/observation.ts';
import type { AuthoritativeZone } from './authoritative-zone.ts';
import type { Delegations } from './delegations.ts';
import { askResolvers, observeName, ownRecords } from './observe-name.ts';
import type { ObserverSettings } from './options.ts';
import type { Recursion } from './recursion.ts';
import type { Resolver } from './resolver.ts';
import type { ZoneCuts } from './zone-cut.ts';

const UNUSED_LABEL_BYTES = 8;

export interface ObserverContext {
  cuts: ZoneCuts;
  delegations: Delegations;
  recursion: Recursion;
  resolver: Resolver;
  settings: ObserverSettings;
}

/** Returns access to the public DNS for one observation. Questions still open when the signal aborts are unknown. */
export function nameServers(context: ObserverContext, signal: AbortSignal): NameServers {
  const { cuts, delegations } = context;
  const served = (zone: AuthoritativeZone): ServedZone => ({
    observation: zone.observation,
    ask: (question) => observeName(cuts, zone, question, signal),
    askOne: (question, views) => observeName(cuts, oneOf(zone, views), question, signal),
    confirm: () => delegations.confirm(zone, signal),
  });
  return {
    zoneOf: async (hostname) => served(await cuts.find(hostname, signal)),
    askResolvers: ({ observation }, question: NameQuestion) =>
      askResolvers(context, question, observation.name ?? question.name, signal),
    lookup: (name, type) => lookup(cuts, name, type, signal),
    unusedLabel: randomBytes(UNUSED_LABEL_BYTES).toString('hex'),
  };
}

/** Asks one server of a known zone whether it returns the challenge. */
export async function seesChallenge(
  { cuts }: ObserverContext,
  { hostname, challenge, turn }: { hostname: string; challenge: Challenge; turn: number },
  signal: AbortSignal,
): Promise<boolean | null> {
  const zone = cuts.known(baseOf(hostname));
  const server = zone?.servers[turn % zone.servers.length];
  if (zone === undefined || server === undefined) return null;
  const question: NameQuestion = {
    name: challenge.name,
    types: ['TXT'],
    keep: new Set([printableOf(challenge.value)]),
  };
  const seen = await observeName(cuts, { ...zone, servers: [server] }, question, signal);
  return challengeText({ challenge: seen, zone: zone.observation }, challenge).verdict === 'match';
}

/** Looks up a name at its own zone. Data from a server about names outside its zone is not trusted. */
export async function lookup(cuts: ZoneCuts, name: string, type: ObservedType, signal: AbortSignal): Promise<Found> {
  const zone = await cuts.find(name, signal);
  const reply = await cuts.askOne(zone, name, type, signal);
  if (reply.kind !== 'answer') return { values: [], cause: reply.kind === 'unknown' ? reply.cause : 'lame' };
  const own = ownRecords(reply.message, name);
  const alias = type === 'CNAME' ? undefined : own.find((record) => record.type === 'CNAME')?.value;
  const values = own.filter((record) => record.type === type).map(({ value }) => value);
  return alias === undefined ? { values, cause: null } : { values: [], alias, cause: null };
}

/** Returns the zone with one server that has just answered, for questions that only explain a finding. */
function oneOf(zone: AuthoritativeZone, views: ServerView[]): AuthoritativeZone {
  const answering = views.find((view) => Object.values(view.answers).some(({ outcome }) => outcome === 'answered'));
  const servers = zone.servers.filter(({ address }) => address === answering?.server.address);
  return { ...zone, servers: servers.length > 0 ? servers : zone.servers.slice(0, 1) };
}
