import type { DnsRecord } from './record.ts';
import {
  type Addition,
  additionOf,
  isOneOf,
  excludes,
  isPointer,
  type Named,
  sameRecord,
  type ZoneChange,
  type ZoneRecord,
} from './zone-record.ts';

export type ConflictPolicy = 'refuse' | 'replace';

/** A value we wrote, and the values that had to go for it. One ledger row. */
export interface Written {
  record: Addition;
  previous: readonly ZoneRecord[];
}

export type ConflictReason = 'points_elsewhere' | 'name_is_cname' | 'name_is_taken' | 'mail_policy' | 'read_only';

/** A record we were asked to write and will not, with the customer's records that stand in its way. */
export interface Conflict {
  wanted: DnsRecord;
  found: readonly ZoneRecord[];
  reason: ConflictReason;
}

export interface Plan {
  /** To be written, each with what it displaces; the TTL is already that of the set it joins. */
  creates: readonly Written[];
  /** Values of ours that stay, and from now on answer for what others of ours displaced at their name. */
  inherits: readonly Written[];
  /** Wanted and already standing, whoever wrote them. */
  keeps: readonly DnsRecord[];
  conflicts: readonly Conflict[];
  /** To go: what we wrote and no longer want, and, only under `replace`, what stands in the way. */
  removals: readonly ZoneRecord[];
  /** To come back: what an obsolete value of ours had displaced, when nothing of ours takes its place. */
  restores: readonly Addition[];
}

export interface Situation {
  /** Every record at the names of `desired` and `owned`. Records elsewhere may be left out: no decision reads them. */
  current: readonly ZoneRecord[];
  /** Free of contradictions: no name has a CNAME and something else. */
  desired: readonly DnsRecord[];
  owned: readonly Written[];
  policy: ConflictPolicy;
}

/**
 * What must be done so that the desired records stand. We add; we never remove or overwrite what we did not write,
 * except that `replace` lets A, AAAA, CNAME and ALIAS give way to A, AAAA, CNAME or ALIAS of ours. Mail is never moved:
 * a second MX set, SPF record or DMARC record would change what the customer's own one means, so it is a conflict under
 * either policy.
 */
export function plan({ current, desired, owned, policy }: Situation): Plan {
  const unwanted = current.filter((record) => isOurs(record, owned) && !isOneOf(record, desired));
  const wished = current.filter((record) => !unwanted.includes(record));
  const missing = desired.filter((record, i) => !isOneOf(record, wished) && !isOneOf(record, desired.slice(0, i)));

  const pointers = hostsOf(missing.filter(isPointer)).map((host) =>
    planPointers({ host, missing, standing: wished, desired, policy, inherited: displacedBy(host, current, owned) }),
  );
  // Where the new pointers cannot be set, the old ones stay: a name must not lead nowhere because of a conflict.
  const stuck = new Set(pointers.flatMap((outcome) => outcome.conflicts.map(({ wanted }) => wanted.host)));
  const obsolete = unwanted.filter((record) => !(isPointer(record) && stuck.has(record.host)));
  const displaced = pointers.flatMap((outcome) => outcome.removals);
  const rest = current.filter((record) => !obsolete.includes(record) && !displaced.includes(record));
  const cnames = (host: string): ZoneRecord[] =>
    [...displaced, ...displacedBy(host, current, owned)].filter(
      (record) => record.host === host && record.type === 'CNAME',
    );
  const additive = missing
    .filter((record) => !isPointer(record))
    .map((wanted) => planAdditive(wanted, rest, desired, cnames(wanted.host)));

  const creates = [...pointers, ...additive].flatMap((outcome) => outcome.creates);
  const written = creates.map(({ record }) => record);
  const ours = [...rest.filter((record) => isOurs(record, owned)), ...written];
  const vacated = hostsOf(obsolete).filter((host) => !ours.some((record) => record.host === host && isPointer(record)));

  return {
    creates,
    inherits: owned
      .filter(({ record }) => isOneOf(record, rest))
      .flatMap((kept) => inheritedBy(kept, [...displaced, ...displacedBy(kept.record.host, current, owned)])),
    keeps: desired.filter((record) => isOneOf(record, wished)),
    conflicts: [...pointers, ...additive].flatMap((outcome) => outcome.conflicts),
    removals: [...obsolete, ...displaced],
    restores: vacated.flatMap((host) => restorable(displacedBy(host, obsolete, owned), [...rest, ...written])),
  };
}

/** The plan as the provider sees it. An empty change means that nothing is left to do. */
export const changeOf = (made: Plan): ZoneChange => ({
  add: [...made.restores, ...made.creates.map((written) => written.record)],
  remove: made.removals,
});

type Outcome = Pick<Plan, 'creates' | 'conflicts' | 'removals'>;

/** All pointers of one name stand or fall together: half of them would split the name's traffic between two places. */
function planPointers(at: {
  host: string;
  missing: readonly DnsRecord[];
  standing: readonly ZoneRecord[];
  desired: readonly DnsRecord[];
  policy: ConflictPolicy;
  inherited: readonly ZoneRecord[];
}): Outcome {
  const wanted = at.missing.filter((record) => record.host === at.host && isPointer(record));
  const others = at.standing.filter((record) => record.host === at.host && !isOneOf(record, at.desired));
  const pointers = others.filter(isPointer);
  const taken = wanted.some((record) => record.type === 'CNAME') ? others.filter((record) => !isPointer(record)) : [];

  const refuse = (found: readonly ZoneRecord[], reason: ConflictReason): Outcome => ({
    creates: [],
    conflicts: wanted.map((record) => ({ wanted: record, found, reason })),
    removals: [],
  });
  if (taken.length > 0) return refuse(taken, 'name_is_taken');
  if (pointers.length > 0 && at.policy === 'refuse') return refuse(pointers, 'points_elsewhere');
  if (pointers.some((record) => record.readOnly)) return refuse(pointers, 'read_only');

  const staying = at.standing.filter((record) => !pointers.includes(record));
  const previous = [...pointers, ...at.inherited];
  return {
    creates: wanted.map((record) => ({ record: withTtlOfSet(asItStood(record, previous), staying), previous })),
    conflicts: [],
    removals: pointers,
  };
}

/** `displaced` is the CNAME that had to leave this name: it cannot come back before this value, too, is gone. */
function planAdditive(
  wanted: DnsRecord,
  standing: readonly ZoneRecord[],
  desired: readonly DnsRecord[],
  displaced: readonly ZoneRecord[],
): Outcome {
  const others = standing.filter((record) => record.host === wanted.host && !isOneOf(record, desired));
  const cname = others.filter((record) => record.type === 'CNAME');
  const mail = others.filter((record) => isSameMailPolicy(wanted, record));
  const found = cname.length > 0 ? cname : mail;
  if (found.length === 0) {
    return { creates: [{ record: withTtlOfSet(wanted, standing), previous: displaced }], conflicts: [], removals: [] };
  }
  const reason = cname.length > 0 ? 'name_is_cname' : 'mail_policy';
  return { creates: [], conflicts: [{ wanted, found, reason }], removals: [] };
}

/** RFC 7208 section 3.2 and RFC 7489 section 6.6.3: two SPF or DMARC records at a name void both; a second MX set diverts mail. */
function isSameMailPolicy(wanted: DnsRecord, found: ZoneRecord): boolean {
  if (wanted.type === 'MX') return found.type === 'MX';
  const policy = mailPolicy(wanted);
  return policy !== undefined && policy === mailPolicy(found);
}

function mailPolicy(record: Pick<ZoneRecord, 'type' | 'value'>): string | undefined {
  return record.type === 'TXT' ? /^v=(?:spf1|dmarc1)(?=[\s;]|$)/i.exec(record.value)?.[0].toLowerCase() : undefined;
}

/** A wish for the very value that an earlier one displaced brings that value back as it was, flags and TTL included. */
function asItStood(wanted: DnsRecord, displaced: readonly ZoneRecord[]): Addition {
  const twin = displaced.find((record) => sameRecord(record, wanted));
  return twin ? { ...wanted, ttl: twin.ttl, extra: twin.extra } : wanted;
}

/** A set has one TTL (RFC 2181 section 5.2), and it is the customer's wherever the customer had a value in it first. */
function withTtlOfSet(record: Addition, standing: readonly ZoneRecord[]): Addition {
  const set = standing.find((other) => other.host === record.host && other.type === record.type);
  return { ...record, ttl: set?.ttl ?? record.ttl };
}

/** What our values at this name had displaced. Values of one name share the list, so it is read once for each value. */
export function displacedBy(host: string, ours: readonly ZoneRecord[], owned: readonly Written[]): ZoneRecord[] {
  const displaced = owned
    .filter((written) => written.record.host === host && isOneOf(written.record, ours))
    .flatMap((written) => written.previous);
  return displaced.filter((record, i) => !isOneOf(record, displaced.slice(0, i)));
}

/**
 * A value that stays may outlive those that displaced something at its name, so it must know of it too. Beside a value
 * that is no pointer only a CNAME could not come back. Empty when there is nothing that it does not know already.
 */
function inheritedBy({ record, previous }: Written, displaced: readonly ZoneRecord[]): Written[] {
  const legacy = displaced.filter(
    (gone) => gone.host === record.host && (isPointer(record) || gone.type === 'CNAME') && !isOneOf(gone, previous),
  );
  return legacy.length === 0 ? [] : [{ record, previous: [...previous, ...legacy] }];
}

/** Nothing is put back where it could not stand beside what the customer has set there since: all returns, or none. */
export function restorable(displaced: readonly ZoneRecord[], standing: readonly Named[]): Addition[] {
  const gone = displaced.filter((record) => !isOneOf(record, standing));
  const blocked = gone.some((record) => standing.some((other) => excludes(record, other)));
  return blocked ? [] : gone.map(additionOf).filter((addition) => addition !== undefined);
}

const isOurs = (record: ZoneRecord, owned: readonly Written[]): boolean =>
  owned.some((written) => sameRecord(written.record, record));

const hostsOf = (records: readonly { host: string }[]): string[] => [...new Set(records.map((record) => record.host))];
