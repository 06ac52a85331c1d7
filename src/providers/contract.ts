import type { ZoneChange, ZoneRecord } from '../domain/zone/zone-record.ts';
import type { DialGuards } from '../net/safe-dial.ts';
import type { Call, Clock } from './call.ts';
import type { Descriptor } from './descriptor.ts';
import type { ProviderHttp } from './toolkit/http.ts';
import type { LocalZones } from './toolkit/local-zones.ts';
import type { TokenCache } from './toolkit/token-cache.ts';
import type { ZoneLock } from './toolkit/zone-lock.ts';

/**
 * An opened credential of a DNS provider. This prose is the specification. `test/providers/conformance.ts` checks every
 * adapter against it, so callers may rely on a conforming adapter without reading its code.
 *
 * ## Names and values
 *
 * - On both sides of this interface a host is absolute, in lower-case ASCII and without a trailing dot. `@`, relative
 *   names, trailing dots and escapes exist only on the wire. The adapter must convert them.
 * - A TXT value is the text that a resolver returns: one string of any length, never quoted and never split.
 * - A host name inside a value has no trailing dot.
 * - An SRV value is `weight port target`. A CAA value is `flags tag "value"`.
 * - MX and SRV carry their first number as `priority`.
 * - ALIAS means the provider's own record type that acts like a CNAME at the apex of a zone. An ALIAS is written at the
 *   apex and never elsewhere. A CNAME is written everywhere except at the apex.
 *
 * ## Changes that `apply` may make
 *
 * A change lists single values. After `apply`:
 *
 * - every value in `add` exists;
 * - every value that is only in `remove` does not exist;
 * - everything else is unchanged to the byte: other values of the same record set, their TTL, comments and flags.
 *
 * Some providers can only write whole record sets or whole zones. Their adapters must send the foreign values back
 * exactly as they read them, in the provider's own spelling.
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
 * A record set has one TTL. A value that is added to a set takes the TTL of the values that stay in the set. If no
 * value stays, the TTL of the change applies, moved into the provider's range (`limits.ttl`). A value that is put back
 * (it has `extra`) keeps its own TTL. The result contains the TTL that the zone really has.
 *
 * `retime` gives whole record sets another TTL, moved into the provider's range. It needs `limits.atomic`, because the
 * values of the set must exist all the time; otherwise the error is `validation`.
 *
 * ## Idempotency and concurrency
 *
 * `apply` must read before it writes. An addition that already exists is done, and so is a removal of a value that does
 * not exist. If nothing is left to do, `apply` returns `changed: false` and writes nothing. A caller that lost a result
 * can therefore repeat the call: the repetition neither duplicates a value nor fails.
 *
 * `apply` must not retry a failed call. Retries, pauses and budgets belong to the caller. Two refusals are exceptions,
 * because they do not concern the change. The adapter handles them itself, once or for a few seconds: an access token
 * that expired early, and a provider that is still busy with the previous write.
 *
 * Two writers must never lose each other's values. If the provider can compare and swap, or can add and delete single
 * values, the adapter must do so, and must read again when another writer overtook it. Otherwise the adapter must read
 * and write inside `context.zoneLock`, which all processes of the service share, and must confirm its lease before each
 * write.
 *
 * A caller can pass a `Decision`: a function from the current records to a change. `apply` calls it with the records
 * that it has just read, and calls it again after another writer overtook it. The function therefore sees every change
 * that the zone's owner makes in between.
 *
 * ## Atomicity
 *
 * With `limits.atomic`, the whole change takes effect or none of it. Without it, additions that need no removal must
 * come first, so that a partial failure leaves too many values rather than too few. The error then has
 * `mayHaveChanged`. Removals go from the deepest name up: while a record below a hostname exists, no wildcard answers
 * for the hostname (RFC 4592).
 *
 * Some providers need a second step (publish, refresh). `apply` must take this step even if nothing is left to write,
 * because an earlier call may have missed it.
 *
 * `apply` must read its writes back before it returns: added values exist and removed values do not. If an addition
 * does not exist, `apply` must put back the values that it removed for that addition.
 *
 * ## Errors
 *
 * Every failure is a `ProviderError`, except an abort, which rejects with the reason of the signal. A signal that
 * aborts because its time ran out (`AbortSignal.timeout`) means that the provider did not answer, so the error is
 * `transient`. `undefined` or an empty list means that the thing does not exist; a failure to ask must always be an
 * error. `transient` covers missing answers, 5xx and answers that the adapter cannot interpret. Errors, log lines and
 * results must never contain a secret.
 */
export interface Account {
  /** Proves that the provider accepts the credential, and returns its zones. A credential without zones is valid. */
  verify(call?: Call): Promise<readonly Zone[]>;

  /** Returns the expiry of the credential; undefined if it has none. Absent if the provider does not report it. */
  expiry?(call?: Call): Promise<Date | undefined>;

  /** Returns the zone of this account that is the longest suffix of the host, or undefined if there is none. */
  findZone(host: string, call?: Call): Promise<Zone | undefined>;

  /** Returns every record at exactly these hosts, except SOA and DNSSEC types. Wildcards match only themselves. */
  records(zone: Zone, hosts: readonly string[], call?: Call): Promise<readonly ZoneRecord[]>;

  /** Makes the change, as specified above. */
  apply(zone: Zone, change: ZoneChange | Decision, call?: Call): Promise<Applied>;
}

/** A change that depends on the current records. `apply` may call `decide` several times; the last result counts. */
export interface Decision {
  hosts: readonly string[];
  /** Returns the change, or undefined to make `apply` do nothing at all, not even publish. */
  decide(current: readonly ZoneRecord[]): ZoneChange | undefined | Promise<ZoneChange | undefined>;
}

export interface Provider {
  descriptor: Descriptor;
  /** Opens a credential without calling the provider. Throws `validation` if a field is missing or malformed. */
  open(credential: Credential, context: ProviderContext): Account;
  /** Returns public parts that distinguish a valid credential from others. Without it, the end of the secret does. */
  hint?(credential: Credential): string;
}

/** The values of the descriptor's auth fields, by name. */
export type Credential = Readonly<Record<string, string>>;

export interface ProviderContext {
  http: ProviderHttp;
  zoneLock: ZoneLock;
  /** Access tokens, shared by all accounts that this process opens. */
  tokens: TokenCache;
  clock: Clock;
  /** The operator's own base URL, such as a proxy or a test double. It is trusted and may be private. */
  baseUrl?: string;
  /** The operator's own URL of the endpoint that issues access tokens. */
  tokenUrl?: string;
  /** DNS_ALLOW_PRIVATE: a server address from a tenant may be private and may use plain http. */
  allowPrivate?: boolean;
  /** Rules for resolving server addresses from tenants, and for refusing our own listeners. */
  guards?: DialGuards;
  /** Zones of the credential's tenant that this service stores itself, for providers without a server. */
  localZones?: LocalZones;
}

export interface Zone {
  /** The provider's opaque identifier: a name, a number or a path. */
  id: string;
  name: string;
  /** Name servers that the provider assigned, for comparison with the delegation; empty if it reports none. */
  nameservers: readonly string[];
}

export interface Applied {
  changed: boolean;
  /** The values of `add` as the zone has them now, with the TTL of the set and the provider's id, if there is one. */
  present: readonly ZoneRecord[];
  /** The records that this call removed, as they were. Undoing the call means putting exactly these back. */
  removed: readonly ZoneRecord[];
}
