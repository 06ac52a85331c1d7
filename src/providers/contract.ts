import type { ZoneChange, ZoneRecord } from '../domain/zone/zone-record.ts';
import type { DialGuards } from '../net/safe-dial.ts';
import type { Call, Clock } from './call.ts';
import type { Descriptor } from './descriptor.ts';
import type { ProviderHttp } from './toolkit/http.ts';
import type { LocalZones } from './toolkit/local-zones.ts';
import type { TokenCache } from './toolkit/token-cache.ts';
import type { ZoneLock } from './toolkit/zone-lock.ts';

/**
 * Everything a DNS host can do for us. This prose is the specification; `test/providers/conformance.ts` checks it
 * against every adapter, and an adapter that passes may be relied upon without reading it.
 *
 * ## Names and values
 *
 * Hosts are absolute, in lower-case ASCII, without a trailing dot, on both sides of this interface; `@`, relative
 * names, trailing dots and escapes exist only on the wire, inside the adapter. A TXT value is the text a resolver would
 * see: one string, however long, never quoted, never split. Host names in values have no trailing dot. An SRV value is
 * `weight port target`, a CAA value is `flags tag "value"`; MX and SRV carry their first number as `priority`. ALIAS
 * stands for whatever the provider offers that acts like a CNAME at a zone's apex: it is written there and nowhere
 * else, and a CNAME is written everywhere but there.
 *
 * ## What `apply` may touch
 *
 * A change names single values. Afterwards every value in `add` stands, every value that is only in `remove` is gone,
 * and everything else is as it was, to the byte: other values of the same set, their TTL, their comments and flags. An
 * adapter whose provider can only write whole sets or whole zones sends the foreign values back exactly as it read
 * them, in the provider's own spelling.
 *
 *     before                       change                               after
 *     shop 3600 TXT "theirs"       add    shop  300 TXT "ours"          shop 3600 TXT "theirs"
 *                                                                       shop 3600 TXT "ours"
 *
 *     shop 3600 TXT "theirs"       remove shop TXT "ours"               shop 3600 TXT "theirs"
 *     shop 3600 TXT "ours"
 *
 *     shop  600 A 192.0.2.1        remove shop A 192.0.2.1              shop  300 CNAME edge.example.net
 *                                  add    shop  300 CNAME edge.example.net
 *
 *     shop 3600 TXT "theirs"       add    shop  300 CNAME edge.example.net
 *                                                                       shop 3600 TXT "theirs", and `conflict`
 *
 * ## TTLs
 *
 * A set has one TTL. A value added to a set takes the TTL of the values that stay in it; the TTL in the change counts
 * only where none stays, and is moved into the provider's range (`limits.ttl`). A value that is put back (it has
 * `extra`) keeps its own. What really stands is in the answer.
 *
 * ## Again, and at the same time
 *
 * `apply` first reads. A value to be added that stands and a value to be removed that is gone are done; if nothing is
 * left, it answers `changed: false` and writes nothing. So a call whose answer was lost can simply be made again: it
 * neither duplicates nor fails. A call that failed is not repeated inside: retries, pauses and budgets are the caller's.
 * Two refusals judge nothing and are met inside, once or for some seconds: an access token that ended before its time,
 * and a provider that is still busy with the write before.
 *
 * Two writers never lose each other's values. Where the provider can compare and swap, or add and delete single values,
 * the adapter uses that, and reads again when it was overtaken; everywhere else it reads and writes inside
 * `context.zoneLock`, which all processes of the service share, and confirms its lease before each write.
 *
 * A change can be given as a `Decision`: a function of what stands. It is called with what `apply` has just read, again
 * whenever that was overtaken, so nothing that the zone's owner does in between is decided upon unseen.
 *
 * ## All or nothing
 *
 * With `limits.atomic` the whole change happens or nothing does. Without it, additions that need no removal go first,
 * so that a failure in between leaves more than wanted rather than less, and the error says `mayHaveChanged`. A
 * provider with a second step (publish, refresh) takes it inside `apply`, also when nothing is left to write, because an
 * earlier call may have missed it. What was written is read back before `apply` answers: values that were to be added
 * stand, values that were to be removed are gone. If an addition does not stand, what was removed for it is put back.
 *
 * ## Errors
 *
 * Every failure is a `ProviderError`, except an abort, which rejects with the signal's own reason; a signal that aborts
 * because time ran out (`AbortSignal.timeout`) is the provider not answering, and so `transient`. "Nothing" as an
 * answer means that it is not there; that we could not ask is always an error. `transient` covers silence, 5xx and
 * answers that make no sense. No error, log line or answer holds a secret.
 */
export interface Account {
  /** Proves that the credential is accepted and says which zones it may be used for. One with no zones is still valid. */
  verify(call?: Call): Promise<readonly Zone[]>;

  /** When the provider will stop accepting the credential, where it can be asked; nothing where it has no end. */
  expiry?(call?: Call): Promise<Date | undefined>;

  /** The zone of this account that is the longest suffix of the host; nothing if the account has none. */
  findZone(host: string, call?: Call): Promise<Zone | undefined>;

  /** Every record that stands at exactly these hosts, of every type but SOA and DNSSEC's own. Wildcards do not answer. */
  records(zone: Zone, hosts: readonly string[], call?: Call): Promise<readonly ZoneRecord[]>;

  /** Makes the change stand. See above for all that this promises. */
  apply(zone: Zone, change: ZoneChange | Decision, call?: Call): Promise<Applied>;
}

/** A change that depends on what stands at these hosts. It may be decided several times, and the last one counts. */
export interface Decision {
  hosts: readonly string[];
  /** Nothing where nothing shall be done: then `apply` takes no step at all. */
  decide(current: readonly ZoneRecord[]): ZoneChange | undefined | Promise<ZoneChange | undefined>;
}

export interface Provider {
  descriptor: Descriptor;
  /** Opens a credential for use. Makes no call; throws `validation` if a field is missing or malformed. */
  open(credential: Credential, context: ProviderContext): Account;
}

/** The values of the descriptor's auth fields, by name. */
export type Credential = Readonly<Record<string, string>>;

/** What a process lends to its adapters. */
export interface ProviderContext {
  http: ProviderHttp;
  zoneLock: ZoneLock;
  /** Access tokens that credentials were exchanged for, shared by everything that is opened in this process. */
  tokens: TokenCache;
  clock: Clock;
  /** The operator's own address for this provider: a double in tests, a proxy. It is trusted and may be private. */
  baseUrl?: string;
  /** The same for the address at which it hands out access tokens. */
  tokenUrl?: string;
  /** DNS_ALLOW_PRIVATE: server addresses that a tenant gives may be private, and plain http. */
  allowPrivate?: boolean;
  /** How server addresses that a tenant gives are resolved, and which are our own. */
  guards?: DialGuards;
  /** Zones of the credential's tenant that this service keeps itself, for providers without a server. */
  localZones?: LocalZones;
}

export interface Zone {
  /** The provider's handle, opaque: a name, a number, a path. */
  id: string;
  name: string;
  /** The servers the provider assigned to the zone, to be compared with the live delegation; empty if it does not say. */
  nameservers: readonly string[];
}

export interface Applied {
  changed: boolean;
  /** The values of `add` as they stand now: with the set's TTL and, where the provider gives one, their id. */
  standing: readonly ZoneRecord[];
  /** The records this call took away, as they stood: what has to be put back to undo it, whatever a plan expected. */
  removed: readonly ZoneRecord[];
}
