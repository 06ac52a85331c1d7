import type { RecordType } from '../record.ts';

/**
 * What was seen in DNS, by whom, and when. Plain JSON throughout: observations are stored in Postgres, shown to people
 * and handed to pure judges, so the same evidence can be judged again later and gives the same verdict.
 *
 * One observation of the ownership challenge. The name and its neighbours were asked at authoritative servers only: a public
 * resolver that hears of the challenge before it exists would remember its absence.
 */
export interface ChallengeObservation extends Observation {
  /** The challenge name itself. Empty of servers when none could be asked. */
  challenge: NameObservation;
  /** TXT at the hostname and at the doubled name, looked at only while the challenge is not right. */
  bareHost: NameObservation | null;
  doubled: NameObservation | null;
  /** Who says that these are the domain's servers; asked only once the challenge is right, because a claim rests on it. */
  delegation: DelegationObservation | null;
}

/** The delegation that led to the authoritative servers, and what every configured resolver says of it. */
export interface DelegationObservation {
  domain: string;
  /** The domain's NS set from which the servers were taken, sorted. */
  nameservers: string[];
  /** Addresses of authoritative servers that are a resolver's word; those that came with a referral are their parent's. */
  resolved: string[];
  resolvers: DelegationView[];
}

export interface DelegationView {
  resolver: ServerRef;
  /** Sorted; null when the resolver could not be asked, or answers only without validation. */
  nameservers: string[] | null;
  /** The addresses that it has for these name servers. */
  addresses: string[];
}

/** One observation of every name that must carry records. */
export interface RecordsObservation extends Observation {
  names: NameObservation[];
  /** Names that carry a zone suffix twice, looked at only for records that are not there. */
  doubled: NameObservation[];
  /** Where wanted targets and seen aliases lead; present only where values alone could not decide. */
  paths: AliasPath[];
}

export interface Observation {
  hostname: string;
  startedAt: string;
  finishedAt: string;
  zone: ZoneObservation;
}

/** The zone that holds a name, as far as it could be found. */
export interface ZoneObservation {
  /** The closest enclosing zone, or null when no server could say. */
  name: string | null;
  /** False only on the word of the parent's authoritative servers; null when none of them could say. */
  registered: boolean | null;
  /** Names of the authoritative servers, sorted. */
  nameservers: string[];
  /** Those of them that have no address we may ask. */
  unresolved: string[];
  soa: Soa | null;
  dnssec: DnssecStatus;
  /** Why the zone could not be found; null when it was. */
  cause: UnknownCause | null;
}

/** `bogus`: the parent has a DS record, and validating resolvers refuse the zone twice and answer when told not to validate. */
export type DnssecStatus = 'secure' | 'insecure' | 'bogus' | 'unknown';

export interface Soa {
  mname: string;
  rname: string;
  serial: number;
  /** Seconds for which a resolver may remember that a name does not exist (RFC 2308: the lesser of TTL and minimum). */
  negativeTtl: number;
}

/** What every server said about one name. */
export interface NameObservation {
  name: string;
  servers: ServerView[];
  /** Public resolvers; empty until every authoritative server that answered had what is wanted. */
  resolvers: ServerView[];
  /** The proxy network whose addresses stand at the name, such as Cloudflare's. */
  proxy: string | null;
}

export interface ServerView {
  server: ServerRef;
  answers: Partial<Record<ObservedType, Answer>>;
}

export interface ServerRef {
  /** Host name of an authoritative server; null for a configured resolver. */
  name: string | null;
  address: string;
  port: number;
}

/** A record type that travels on the wire: ALIAS is a provider's fiction and never seen. */
export type ObservedType = Exclude<RecordType, 'ALIAS'>;

/** An answer is knowledge, also when it says "nothing here"; everything else is `unknown` and says why. */
export type Answer = Answered | Unknown;

export interface Answered {
  outcome: 'answered';
  /** False for NXDOMAIN: nothing of any type stands at the name or below it. */
  exists: boolean;
  /** Records of the asked type, or the CNAME that stands in their place, at the asked name only. */
  records: ObservedRecord[];
  /** How many records were left out to keep the observation small. Wanted values are never left out. */
  omitted: number;
  /** Seconds for which a resolver that hears this "nothing" remembers it. */
  negativeTtl: number | null;
}

export interface Unknown {
  outcome: 'unknown';
  cause: UnknownCause;
}

export interface ObservedRecord {
  type: ObservedType;
  /** As in DnsRecord; TXT in the spelling of `printableText`. */
  value: string;
  priority: number | null;
  ttl: number;
}

/** Why a server that was asked did not say. None of these is ever a "no". */
export type UnknownCause =
  | 'timeout'
  /** It has not answered for a while and is not waited for until it is due for another try. */
  | 'silent'
  | 'unreachable'
  | 'refused'
  | 'servfail'
  | 'truncated'
  | 'malformed'
  | 'lame'
  | 'bogus'
  | 'forbidden_address'
  | 'no_address'
  | 'cname_loop';

/** Where a name's CNAMEs lead, walked through authoritative servers. */
export interface AliasPath {
  name: string;
  /** The targets in order, without the name itself. */
  through: string[];
  /** Addresses at the end, sorted; null when the walk could not be finished. */
  addresses: string[] | null;
  cause: UnknownCause | null;
}

/** The CAA set that governs a hostname (RFC 8659), if any. */
export interface CaaObservation {
  hostname: string;
  outcome: 'found' | 'none' | 'unknown';
  /** Where the governing set stands: the hostname, an alias target or an ancestor. */
  at: string | null;
  records: CaaRecord[];
  cause: UnknownCause | null;
}

export interface CaaRecord {
  critical: boolean;
  tag: string;
  value: string;
}
