import { isInZone } from '../domain/record.ts';
import type { ServerRef, Soa, UnknownCause, ZoneObservation } from '../domain/observation/observation.ts';
import { isPublicAddress } from '../net/address.ts';
import { readAuthorityReply, type AuthorityReply, type Referral } from './authority-reply.ts';
import { nameserversAt, type Delegations } from './delegations.ts';
import { RCODE, type DnsMessage, type QuestionType } from './message.ts';
import type { ObserverSettings } from './options.ts';
import type { Recursion } from './recursion.ts';
import type { Resolver } from './resolver.ts';
import { createSilentServers } from './silent-servers.ts';
import type { Share } from './shared-answers.ts';
import { delegatedDomain } from './suffix.ts';
import type { ServerReply, AuthoritativeZone } from './authoritative-zone.ts';

/** Finds the authoritative servers of a name. Resolvers must not see a hostname before its records exist. */
export interface ZoneCuts {
  find(hostname: string, signal: AbortSignal): Promise<AuthoritativeZone>;
  /** Returns the zone that a check has found lately, without any question. */
  known(hostname: string): AuthoritativeZone | undefined;
  /** Asks every server of the zone. Follows referrals to the servers of a child zone. */
  ask(zone: AuthoritativeZone, name: string, type: QuestionType, signal: AbortSignal): Promise<ServerReply[]>;
  /** Returns the first answer or referral of any server, for questions that one server can decide. */
  askOne(zone: AuthoritativeZone, name: string, type: QuestionType, signal: AbortSignal): Promise<AuthorityReply>;
}

const MAX_CUTS = 10;
/** Limits of the servers that are asked. The owner of a zone can list any number of name servers and addresses. */
const MAX_NAMESERVERS = 13;
const MAX_SERVERS = 26;
/** A changed NS set is seen after this time: a found zone expires by the age of the NS set where the search began. */
const ZONE_MS = 30_000;

interface Parts {
  resolver: Resolver;
  recursion: Recursion;
  delegations: Delegations;
  settings: ObserverSettings;
  share: Share;
  now: () => number;
}

export function createZoneCuts({ resolver, recursion, delegations, settings, share, now }: Parts): ZoneCuts {
  const timeLeft = ({ delegation }: AuthoritativeZone): number => delegation.at + ZONE_MS - now();
  // A failure and the absence of a domain are not shared, so their end is seen immediately.
  const starts = share<AuthoritativeZone>((zone) =>
    zone.observation.registered && zone.servers.length > 0 ? timeLeft(zone) : 0,
  );
  const zones = share<AuthoritativeZone>((zone) =>
    zone.observation.registered && zone.observation.soa ? timeLeft(zone) : 0,
  );
  const soas = share<Soa | null>((soa) => (soa ? ZONE_MS : 0));
  const silentServers = createSilentServers();

  async function find(hostname: string, signal: AbortSignal): Promise<AuthoritativeZone> {
    const zone = await zones.find(hostname, signal, (limit) => findZone(hostname, limit));
    return zone ?? unknownZone(delegatedDomain(hostname), 'timeout');
  }

  async function findZone(hostname: string, signal: AbortSignal): Promise<AuthoritativeZone> {
    const domain = delegatedDomain(hostname);
    const start = await starts.find(domain, signal, (limit) => askParents(domain, limit));
    if (start === undefined) return unknownZone(domain, 'timeout');
    return complete(await descend(start, hostname, signal), domain, signal);
  }

  /** Returns the zone of the registered domain according to the resolvers, or the closest parent that they know. */
  async function askParents(domain: string, signal: AbortSignal): Promise<AuthoritativeZone> {
    for (let name = domain; name !== ''; name = parentOf(name)) {
      const reply = await delegations.nsOf(name, signal);
      if (!reply.ok) return unknownZone(domain, reply.cause);
      const { nameservers, at } = reply;
      if (nameservers.length === 0) continue;
      const known = { registered: name === domain ? true : null, dnssec: reply.dnssec };
      return open({ zone: name, nameservers, glue: new Map() }, known, { domain: name, nameservers, at }, signal);
    }
    return unknownZone(domain, 'no_address');
  }

  /** Follows referrals and zone apexes down to the zone that contains the hostname. */
  async function descend(from: AuthoritativeZone, hostname: string, signal: AbortSignal): Promise<AuthoritativeZone> {
    let zone = from;
    for (let cuts = 0; cuts < MAX_CUTS && zone.observation.name !== null; cuts++) {
      const reply = await askOne(zone, hostname, 'SOA', signal);
      if (reply.kind === 'unknown') return zone;
      const deeper =
        reply.kind === 'referral' ? reply.referral : await apexBelow(zone, hostname, reply.message, signal);
      if (!deeper) return zone;
      const known = { registered: true, dnssec: zone.observation.dnssec };
      zone = await open(deeper, known, zone.delegation, signal);
    }
    return zone;
  }

  /** Detects a child zone on the same server, which answers for it directly: the owner of the SOA shows the cut. */
  async function apexBelow(zone: AuthoritativeZone, hostname: string, message: DnsMessage, signal: AbortSignal) {
    const owner = message.soa?.owner;
    const parent = zone.observation.name;
    if (owner === undefined || parent === null || owner === parent) return undefined;
    if (!isInZone(owner, parent) || !isInZone(hostname, owner)) return undefined;
    const reply = await askOne(zone, owner, 'NS', signal);
    if (reply.kind !== 'answer') return undefined;
    const nameservers = nameserversAt(owner, reply.message);
    return nameservers.length > 0 ? { zone: owner, nameservers, glue: new Map<string, string[]>() } : undefined;
  }

  /** Adds the SOA of the zone's own servers, and whether the servers of the parent know the domain. */
  async function complete(zone: AuthoritativeZone, domain: string, signal: AbortSignal): Promise<AuthoritativeZone> {
    const { name, registered } = zone.observation;
    if (name === null) return zone;
    const [soa = null, listing] = await Promise.all([
      soas.find(`${name} ${addressesIn(zone)}`, signal, (limit) => soaOf(zone, name, limit)),
      registered === null ? askOne(zone, domain, 'NS', signal) : undefined,
    ]);
    const listed = listing?.kind === 'answer' ? listing.message.rcode !== RCODE.NXDOMAIN : null;
    return { ...zone, observation: { ...zone.observation, soa, registered: registered ?? listed } };
  }

  async function soaOf(zone: AuthoritativeZone, name: string, signal: AbortSignal): Promise<Soa | null> {
    const apex = await askOne(zone, name, 'SOA', signal);
    return apex.kind === 'answer' && apex.message.soa?.owner === name ? withoutOwner(apex.message.soa) : null;
  }

  async function open(
    { zone, nameservers, glue }: Referral,
    known: Pick<ZoneObservation, 'registered' | 'dnssec'>,
    delegation: AuthoritativeZone['delegation'],
    signal: AbortSignal,
  ): Promise<AuthoritativeZone> {
    const asked = nameservers.slice(0, MAX_NAMESERVERS);
    const bogus = known.dnssec === 'bogus' ? zone : undefined;
    const found = await Promise.all(asked.map((name) => addressesOf(name, glue.get(name), bogus, signal)));
    const resolved = new Set(asked.filter((name) => !glue.has(name)));
    const mayAsk = ({ address }: ServerRef) => settings.allowPrivate || isPublicAddress(address);
    const servers = found.flat().filter(mayAsk).slice(0, MAX_SERVERS);
    const unresolved = asked.filter((_, index) => !found[index]?.some(mayAsk));
    const without = found.flat().length > 0 ? 'forbidden_address' : 'no_address';
    const cause: UnknownCause | null = servers.length === 0 ? without : null;
    const observation = { name: zone, nameservers, unresolved, soa: null, cause, ...known };
    return { servers, observation, delegation, resolved };
  }

  /** Returns a name server's addresses, IPv4 first. With broken signatures they are unvalidated and only explain. */
  async function addressesOf(
    name: string,
    glue: string[] | undefined,
    bogusZone: string | undefined,
    signal: AbortSignal,
  ): Promise<ServerRef[]> {
    const ask = async (type: 'A' | 'AAAA') => {
      const reply = await recursion.ask(name, type, signal, bogusZone);
      return reply.ok ? reply.message.answers.filter((record) => record.type === type).map(({ value }) => value) : [];
    };
    const ipv4 = glue ?? (await ask('A'));
    const addresses = ipv4.length > 0 ? ipv4 : await ask('AAAA');
    return [...new Set(addresses)].map((address) => ({ name, address, port: settings.authoritativePort }));
  }

  async function askServer(
    server: ServerRef,
    zone: string,
    name: string,
    type: QuestionType,
    signal: AbortSignal,
  ): Promise<AuthorityReply> {
    const ended = silentServers.begin(server.address, zone);
    if (!ended) return { kind: 'unknown', cause: 'silent' };
    const reply = await resolver.ask(server, { name, type, recursion: false }, signal);
    const gotNothing = !reply.ok && reply.cause === 'timeout';
    ended(!gotNothing);
    return readAuthorityReply(reply, zone, name);
  }

  async function ask(
    zone: AuthoritativeZone,
    name: string,
    type: QuestionType,
    signal: AbortSignal,
    cuts = 0,
  ): Promise<ServerReply[]> {
    const { servers, observation } = zone;
    const replies = await Promise.all(
      servers.map(async (server) => ({
        server,
        reply: await askServer(server, observation.name ?? '', name, type, signal),
      })),
    );
    const referral = replies.map(({ reply }) => reply).find((reply) => reply.kind === 'referral')?.referral;
    if (!referral || cuts >= MAX_CUTS) return replies.map(asLame);
    const below = await open(referral, observation, zone.delegation, signal);
    const others = replies.filter(({ reply }) => reply.kind !== 'referral');
    return [...others, ...(await ask(below, name, type, signal, cuts + 1))];
  }

  /** Asks all servers concurrently and returns the first answer or referral, so a dead server causes no wait. */
  async function askOne(
    zone: AuthoritativeZone,
    name: string,
    type: QuestionType,
    signal: AbortSignal,
  ): Promise<AuthorityReply> {
    let cause: UnknownCause = zone.observation.cause ?? 'no_address';
    const attempts = zone.servers.map(async (server) => {
      const reply = await askServer(server, zone.observation.name ?? '', name, type, signal);
      if (reply.kind !== 'unknown') return reply;
      cause = reply.cause;
      throw new Error(reply.cause);
    });
    return Promise.any(attempts).catch(() => ({ kind: 'unknown', cause }));
  }

  return { find, known: zones.known, ask: (zone, name, type, signal) => ask(zone, name, type, signal), askOne };
}

/** Marks endless referrals as lame: a server that still refers has not answered. */
const asLame = (entry: ServerReply): ServerReply =>
  entry.reply.kind === 'referral' ? { ...entry, reply: { kind: 'unknown', cause: 'lame' } } : entry;

const addressesIn = ({ servers }: AuthoritativeZone): string => servers.map(({ address }) => address).join(' ');

const withoutOwner = ({ mname, rname, serial, negativeTtl }: Soa): Soa => ({ mname, rname, serial, negativeTtl });

const parentOf = (name: string): string => name.split('.').slice(1).join('.');

const unknownZone = (domain: string, cause: UnknownCause): AuthoritativeZone => ({
  servers: [],
  observation: { name: null, registered: null, nameservers: [], unresolved: [], soa: null, dnssec: 'unknown', cause },
  delegation: { domain, nameservers: [], at: -Infinity },
  resolved: new Set(),
});
