import type { Finding } from './finding.ts';
import { distinct } from './verdict.ts';
import type {
  ChallengeObservation,
  Observation,
  ServerRef,
  ServerView,
  UnknownCause,
  ZoneObservation,
} from './observation.ts';

/** Returns findings about the zone and its name servers, independent of any record. */
export function zoneFindings(
  { hostname, zone }: Observation,
  views: ServerView[],
  nameserversBefore: string[],
): Finding[] {
  return [
    ...unregistered(hostname, zone),
    ...brokenSignatures(hostname, zone),
    ...unreachable(hostname, zone, views),
    ...moved(zone, nameserversBefore),
  ];
}

function unregistered(hostname: string, { registered }: ZoneObservation): Finding[] {
  if (registered !== false) return [];
  return [
    {
      code: 'missing',
      severity: 'error',
      message: `The domain of ${hostname} is not registered, or its registration has lapsed.`,
      fix: "Check the spelling, or register or renew the domain. We'll keep checking.",
      params: { hostname },
    },
  ];
}

function brokenSignatures(hostname: string, { dnssec, name }: ZoneObservation): Finding[] {
  if (dnssec !== 'bogus') return [];
  const zone = name ?? hostname;
  return [
    {
      code: 'dnssec_bogus',
      severity: 'error',
      message: `DNSSEC of ${zone} is broken: validating resolvers refuse every answer from it, and no certificate can be issued.`,
      fix: `At the registrar of ${zone}, remove the DS record, or replace it with the one that the current DNS provider shows. This often happens after moving to another provider.`,
      params: { zone },
    },
  ];
}

function unreachable(hostname: string, zone: ZoneObservation, views: ServerView[]): Finding[] {
  if (zone.registered === false) return [];
  if (zone.cause) return [noServerAnswers(hostname, zone.cause)];
  const silent = views.filter(({ answers }) => Object.values(answers).every(({ outcome }) => outcome === 'unknown'));
  const causes = silent.flatMap(({ answers }) => Object.values(answers)).flatMap(causeOf);
  if (views.length > 0 && silent.length === views.length) return [noServerAnswers(hostname, causes[0] ?? 'timeout')];
  const names = distinct([...zone.unresolved, ...silent.map(({ server }) => serverName(server))]);
  if (names.length === 0) return [];
  return [
    {
      code: 'nameserver_unreachable',
      severity: 'warning',
      message: `${list(names)} of ${zone.name ?? hostname} did not answer (${list(distinct(causes.map(inWords))) || 'no usable address'}). The other name servers did.`,
      fix: 'Contact the DNS provider, or remove the name server from the delegation at the registrar.',
      params: { servers: list(names), zone: zone.name ?? hostname },
    },
  ];
}

const causeOf = (answer: { outcome: string; cause?: UnknownCause }): UnknownCause[] =>
  answer.cause ? [answer.cause] : [];

const noServerAnswers = (hostname: string, cause: UnknownCause): Finding => ({
  code: 'nameserver_unreachable',
  severity: 'warning',
  message: `No name server answered for ${hostname}: ${inWords(cause)}. We draw no conclusion from that.`,
  fix: "You don't need to change anything: we'll keep checking. If it lasts, ask the DNS provider.",
  params: { hostname },
});

/** Returns the finding for a proof that exists although not every resolver is delegated to the servers that have it. */
export function unconfirmedDelegation(
  { hostname, delegation }: Pick<ChallengeObservation, 'hostname' | 'delegation'>,
  type: 'TXT' | 'CNAME' = 'TXT',
): Finding {
  const domain = delegation?.domain ?? hostname;
  return {
    code: 'ns_inconsistent',
    severity: 'warning',
    message: `The ${type} record is right, but public resolvers do not yet agree on the name servers of ${domain}.`,
    fix: `After moving to other name servers this takes up to two days. If it stays, make the NS records of ${domain} the same at the registrar and at the DNS provider.`,
    params: { zone: domain },
  };
}

function moved(zone: ZoneObservation, before: string[]): Finding[] {
  const same = zone.nameservers.length === before.length && zone.nameservers.every((name) => before.includes(name));
  if (before.length === 0 || zone.registered !== true || same) return [];
  return [
    {
      code: 'nameserver_changed',
      severity: 'warning',
      message: `${zone.name ?? 'The zone'} has moved from ${list(before)} to ${list(zone.nameservers)}.`,
      fix: 'Add the records below at the new DNS provider too. Resolvers no longer ask the old one.',
      params: { zone: zone.name ?? '', from: list(before), to: list(zone.nameservers) },
    },
  ];
}

const WORDS: Record<UnknownCause, string> = {
  timeout: 'no answer in time',
  silent: 'no answer for a while',
  unreachable: 'cannot be reached',
  refused: 'refuses to answer',
  servfail: 'reports a failure of its own',
  truncated: 'the answer is too long for UDP and TCP does not work',
  malformed: 'the answer cannot be read',
  lame: 'does not know the zone',
  bogus: 'the DNSSEC signatures are broken',
  forbidden_address: 'its address is not public',
  no_address: 'its name has no usable address',
  cname_loop: 'the CNAMEs form a loop or have no end',
};

const inWords = (cause: UnknownCause): string => WORDS[cause];

export const serverName = ({ name, address }: ServerRef): string => name ?? address;

export const list = (items: string[]): string =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
