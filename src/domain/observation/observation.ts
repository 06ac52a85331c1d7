import type { DnsRecord, RecordType } from '../record.ts';

/**
 * One observation of the ownership challenge: plain JSON, so the same evidence always gives the same verdict. Only
 * authoritative servers are asked, because a public resolver that is asked too early would cache its absence.
 */
export interface ChallengeObservation extends Observation {
  /** The challenge name. It has no servers if none answered. */
  challenge: NameObservation;
  /** TXT at the hostname and at the doubled name, observed only while the challenge is wrong. */
  bareHost: NameObservation | null;
  doubled: NameObservation | null;
  /** Confirmation of the delegation, observed only once the challenge is right, because the claim depends on it. */
  delegation: DelegationObservation | null;
  /** Whether only a wildcard answers for the name above the challenge, observed only while the challenge is wrong. */
  wildcard: WildcardVerdict;
}

/** One observation of the CNAME that proves an imported hostname. */
export interface CnameObservation extends Observation {
  /** The hostname at every authoritative server. */
  alias: NameObservation;
  /** A random label next to the hostname, which shows whether a wildcard points to the target. */
  sibling: NameObservation;
  /** Paths of the random label's aliases. */
  paths: AliasPath[];
  /** Confirmation of the delegation, observed only where the claim depends on it. */
  delegation: DelegationObservation | null;
}

/** The delegation to the authoritative servers, and every resolver's view of it. */
export interface DelegationObservation {
  domain: string;
  /** Sorted NS set of the domain, from which the servers were taken. */
  nameservers: string[];
  /** Addresses of authoritative servers that a resolver returned. All others came with the parent's referral. */
  resolved: string[];
  resolvers: DelegationView[];
}

export interface DelegationView {
  resolver: ServerRef;
  /** Sorted; null if the resolver did not answer, or answers only without validation. */
  nameservers: string[] | null;
  /** Addresses that the resolver has for these name servers. */
  addresses: string[];
}

/** Whether only a wildcard answers for a name (RFC 4592). */
export interface WildcardVerdict {
  /** Null if no server answered. */
  covered: boolean | null;
  /** Owner name of the wildcard; null unless the name is covered. */
  wildcard: string | null;
  /** Records that keep every answer when a record is added below the name, in the order in which to add them. */
  records: DnsRecord[];
}

/** One observation of every name that has desired records. */
export interface RecordsObservation extends Observation {
  names: NameObservation[];
  /** Names that end in the zone's name twice, observed only for missing records. */
  doubled: NameObservation[];
  /** Alias paths of targets and aliases, present only where the values alone do not decide. */
  paths: AliasPath[];
}

export interface Observation {
  hostname: string;
  startedAt: string;
  finishedAt: string;
  zone: ZoneObservation;
}

/** The zone that contains a name, as far as it was found. */
export interface ZoneObservation {
  /** The closest enclosing zone; null if no server answered. */
  name: string | null;
  /** False only if the parent's authoritative servers deny the domain; null if none of them answered. */
  registered: boolean | null;
  /** Sorted names of the authoritative servers. */
  nameservers: string[];
  /** Name servers without an address that we may ask. */
  unresolved: string[];
  soa: Soa | null;
  dnssec: DnssecStatus;
  /** Reason why the zone was not found; null if it was. */
  cause: UnknownCause | null;
}

/** `bogus`: the parent has a DS record, and validating resolvers refuse the zone twice but answer otherwise. */
export type DnssecStatus = 'secure' | 'insecure' | 'bogus' | 'unknown';

export interface Soa {
  mname: string;
  rname: string;
  serial: number;
  /** Seconds for which a resolver may cache that a name does not exist (RFC 2308: the lesser of TTL and minimum). */
  negativeTtl: number;
}

export interface NameObservation {
  name: string;
  servers: ServerView[];
  /** Public resolvers; empty until every answering authoritative server has the wanted records. */
  resolvers: ServerView[];
  /** The proxy network that owns the addresses at the name, such as Cloudflare's. */
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

/** A record type of the DNS protocol. ALIAS exists only at providers. */
export type ObservedType = Exclude<RecordType, 'ALIAS'>;

/** An answer, which may be empty, or the reason for a missing answer. */
export type Answer = Answered | Unknown;

export interface Answered {
  outcome: 'answered';
  /** False for NXDOMAIN: no record of any type exists at the name or below it. */
  exists: boolean;
  /** Records of the requested type, or the CNAME in their place, at the requested name only. */
  records: ObservedRecord[];
  /** Number of records that were left out to keep the observation small. Wanted values are never left out. */
  omitted: number;
  /** Seconds for which a resolver caches an empty answer. */
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

/** Reasons for a missing answer. None of them means that a record is absent. */
export type UnknownCause =
  | 'timeout'
  /** The server has not answered for a while, and is not asked until its next probe. */
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

/** The path of a name's CNAMEs, followed through authoritative servers. */
export interface AliasPath {
  name: string;
  /** Targets in order, without the name itself. */
  through: string[];
  /** Sorted addresses at the end; null if the path was not followed to its end. */
  addresses: string[] | null;
  cause: UnknownCause | null;
}

/** The CAA set that governs a hostname (RFC 8659), if any. */
export interface CaaObservation {
  hostname: string;
  outcome: 'found' | 'none' | 'unknown';
  /** Name of the governing set: the hostname, an alias target or an ancestor. */
  at: string | null;
  records: CaaRecord[];
  cause: UnknownCause | null;
}

export interface CaaRecord {
  critical: boolean;
  tag: string;
  value: string;
}
