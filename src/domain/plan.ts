import type { DnsRecord } from './record.ts';
import {
  type Addition,
  additionOf,
  among,
  excludes,
  isPointer,
  sameRecord,
  type ZoneChange,
  type ZoneRecord,
} from './zone-record.ts';

export type ConflictPolicy = 'refuse' | 'replace';

/** A value we wrote, and the values that had to go for it. One ledger row. */
export interface Written {
  record: DnsRecord;
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
  const obsolete = current.filter((record) => isOurs(record, owned) && !among(record, desired));
  const standing = current.filter((record) => !obsolete.includes(record));
  const missing = desired.filter((record, i) => !among(record, standing) && !among(record, desired.slice(0, i)));

  const pointers = hostsOf(missing.filter(isPointer)).map((host) =>
    planPointers({ host, missing, standing, desired, policy, inherited: displacedBy(host, obsolete, owned) }),
  );
  const displaced = pointers.flatMap((outcome) => outcome.removals);
  const rest = standing.filter((record) => !displaced.includes(record));
  const additive = missing.filter((record) => !isPointer(record)).map((wanted) => planAdditive(wanted, rest, desired));

  return {
    creates: [...pointers, ...additive].flatMap((outcome) => outcome.creates),
    keeps: desired.filter((record) => among(record, standing)),
    conflicts: [...pointers, ...additive].flatMap((outcome) => outcome.conflicts),
    removals: [...obsolete, ...displaced],
    restores: restoresFor(obsolete, owned, standing, desired),
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
  const others = at.standing.filter((record) => record.host === at.host && !among(record, at.desired));
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
    creates: wanted.map((record) => ({ record: withTtlOfSet(record, staying), previous })),
    conflicts: [],
    removals: pointers,
  };
}

function planAdditive(wanted: DnsRecord, standing: readonly ZoneRecord[], desired: readonly DnsRecord[]): Outcome {
  const others = standing.filter((record) => record.host === wanted.host && !among(record, desired));
  const cname = others.filter((record) => record.type === 'CNAME');
  const mail = others.filter((record) => isSameMailPolicy(wanted, record));
  const found = cname.length > 0 ? cname : mail;
  if (found.length === 0) {
    return { creates: [{ record: withTtlOfSet(wanted, standing), previous: [] }], conflicts: [], removals: [] };
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

/** A set has one TTL (RFC 2181 section 5.2), and it is the customer's wherever the customer had a value in it first. */
function withTtlOfSet(record: DnsRecord, standing: readonly ZoneRecord[]): DnsRecord {
  const set = standing.find((other) => other.host === record.host && other.type === record.type);
  return { ...record, ttl: set?.ttl ?? record.ttl };
}

function restoresFor(
  obsolete: readonly ZoneRecord[],
  owned: readonly Written[],
  standing: readonly ZoneRecord[],
  desired: readonly DnsRecord[],
): Addition[] {
  return hostsOf(obsolete.filter(isPointer))
    .filter((host) => !desired.some((record) => record.host === host && isPointer(record)))
    .flatMap((host) => restorable(displacedBy(host, obsolete, owned), standing));
}

/** What our values at this name had displaced. Values of one name share the list, so it is read once for each value. */
export function displacedBy(host: string, ours: readonly ZoneRecord[], owned: readonly Written[]): ZoneRecord[] {
  const displaced = owned
    .filter((written) => written.record.host === host && among(written.record, ours))
    .flatMap((written) => written.previous);
  return displaced.filter((record, i) => !among(record, displaced.slice(0, i)));
}

/** Nothing is put back where it could not stand beside what the customer has set there since: all returns, or none. */
export function restorable(displaced: readonly ZoneRecord[], standing: readonly ZoneRecord[]): Addition[] {
  const gone = displaced.filter((record) => !among(record, standing));
  const blocked = gone.some((record) => standing.some((other) => excludes(record, other)));
  return blocked ? [] : gone.map(additionOf).filter((addition) => addition !== undefined);
}

const isOurs = (record: ZoneRecord, owned: readonly Written[]): boolean =>
  owned.some((written) => sameRecord(written.record, record));

const hostsOf = (records: readonly { host: string }[]): string[] => [...new Set(records.map((record) => record.host))];
