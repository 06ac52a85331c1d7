import { displacementsOf, restoresAt, type Displacement } from './displacement.ts';
import type { DnsRecord } from '../record.ts';
import {
  type Addition,
  hostsOf,
  isOneOf,
  isPointer,
  type Named,
  sameRecord,
  type ZoneChange,
  type ZoneRecord,
} from './zone-record.ts';

/** Treatment of the customer's pointers at a name at which we want to write ours. */
export type ConflictPolicy = 'refuse' | 'replace';

/** Reasons to write in a zone. A write for one purpose never changes the values of another purpose. */
export const PURPOSES = ['connection', 'email', 'certificate'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** A value of ours, and the customer's values that it displaces. A value is one record of a record set. */
export interface Written {
  record: Addition;
  previous: readonly ZoneRecord[];
}

/** Reasons why a record is not written. `read_only`: the DNS provider itself manages the customer's pointers. */
export type ConflictReason = 'points_elsewhere' | 'name_is_cname' | 'name_is_taken' | 'mail_policy' | 'read_only';

/** A record that we do not write, and the existing records that cannot coexist with it. */
export interface Conflict {
  wanted: DnsRecord;
  found: readonly ZoneRecord[];
  reason: ConflictReason;
}

/** Changes of a zone, and their consequences for the ledger. */
export interface Plan {
  /** Values to write, each with the values that it displaces. The TTL is that of the record set. */
  creates: readonly Written[];
  /** Wanted records that exist already, written by the customer or by us. */
  keeps: readonly DnsRecord[];
  /** Records of `keeps` that we wrote for another purpose, and that this purpose now owns too. */
  shares: readonly DnsRecord[];
  conflicts: readonly Conflict[];
  /** Records to remove: our obsolete ones and, with `replace` only, the customer's that conflict. */
  removals: readonly ZoneRecord[];
  /** The customer's records among `removals`, as new layers. */
  displaces: readonly Displacement[];
  /** Displaced records to restore in place of our obsolete values, unless other values of ours replace them. */
  restores: readonly Addition[];
  /** Names that the owner has pointed elsewhere, so that their older layers are out of date. */
  decided: readonly string[];
  /** Names with layers that get pointers of ours, and that their owners may point elsewhere while we write. */
  atRisk: readonly string[];
  /** Values that are no longer ours: the customer removed them, or another purpose keeps them. */
  surrenders: readonly Written[];
}

/** Facts from which a plan is made. */
export interface Situation {
  /** Every record at the names of `desired` and `owned`. Other records are not needed. */
  current: readonly ZoneRecord[];
  /** Consistent: no name has a CNAME and another record. */
  desired: readonly Addition[];
  /** Values that we wrote for this purpose, according to the ledger. */
  owned: readonly Written[];
  policy: ConflictPolicy;
  /** Layers at these names, oldest first, for any purpose. */
  displaced?: readonly Displacement[];
  /** Values that we wrote for another purpose, which are never removed or displaced. */
  reserved?: readonly Named[];
}

/**
 * Plans the changes that publish the desired records. We never remove or overwrite records that we did not write, with
 * one exception: under `replace`, our pointers displace the customer's pointers. Mail records are never displaced.
 */
export function plan({ current, desired, owned, policy, displaced = [], reserved = [] }: Situation): Plan {
  const allOurs = oursIn(current, owned, reserved);
  const ours = allOurs.filter((record) => !isOneOf(record, reserved));
  const unwanted = ours.filter((record) => !isOneOf(record, desired));
  const kept = current.filter((record) => !unwanted.includes(record));
  const missing = desired.filter((record, i) => !isOneOf(record, kept) && !isOneOf(record, desired.slice(0, i)));
  const layers = [...displaced, ...expectedOf(owned)];

  const pointers = hostsOf(missing.filter(isPointer)).map((host) =>
    planPointers({ host, missing, existing: kept, desired, policy, reserved, layers }),
  );
  // If the new pointers cannot be written, the old ones stay, so that a conflict does not take the hostname offline.
  const conflicted = new Set(pointers.flatMap((outcome) => outcome.conflicts.map(({ wanted }) => wanted.host)));
  const obsolete = unwanted.filter((record) => !(isPointer(record) && conflicted.has(record.host)));
  const displacedNow = pointers.flatMap((outcome) => outcome.removals);
  const staying = current.filter((record) => !obsolete.includes(record) && !displacedNow.includes(record));
  const others = missing.filter((record) => !isPointer(record)).map((wanted) => planOther(wanted, staying, desired));

  const creates = [...pointers, ...others].flatMap((outcome) => outcome.creates);
  const written = creates.map(({ record }) => record);
  const remaining = [...staying.filter((record) => allOurs.includes(record)), ...written];
  // Names at which no pointer of ours is left.
  const vacated = hostsOf(obsolete).filter((host) => !remaining.some(pointsAt(host)));
  const keeps = desired.filter((record) => isOneOf(record, kept));
  const newlyPointed = hostsOf(written.filter(isPointer));

  return {
    creates,
    keeps,
    shares: keeps.filter((record) => isOneOf(record, reserved) && !owned.some((one) => sameRecord(one.record, record))),
    conflicts: [...pointers, ...others].flatMap((outcome) => outcome.conflicts),
    removals: [...obsolete, ...displacedNow],
    displaces: displacementsOf(displacedNow, allOurs),
    restores: vacated.flatMap((host) =>
      restoresAt(host, layers, { leaving: obsolete, standing: [...staying, ...written], remaining }),
    ),
    decided: newlyPointed.filter((host) => staying.some(pointsAt(host)) && !allOurs.some(pointsAt(host))),
    atRisk: newlyPointed.filter((host) => layers.some((layer) => layer.host === host)),
    surrenders: owned.filter(
      ({ record }) => !isOneOf(record, current) || (isOneOf(record, reserved) && !isOneOf(record, desired)),
    ),
  };
}

/** Returns the plan as a change for the provider. An empty change means that nothing is left to do. */
export const changeOf = (made: Plan): ZoneChange => ({
  add: [...made.restores, ...made.creates.map((written) => written.record)],
  remove: made.removals,
});

/** Facts about a completed write: our pointers before it, removed records, and records after it. */
export interface Aftermath {
  ours: readonly Named[];
  removed: readonly Named[];
  seen: readonly ZoneRecord[];
}

/** Returns names at risk whose owner pointed them elsewhere between our reading and our writing. */
export function decidedMeanwhile(made: Plan, { ours, removed, seen }: Aftermath): string[] {
  const expected = [...made.keeps, ...made.restores, ...made.creates.map(({ record }) => record)];
  return made.atRisk.filter((host) => {
    const oursWasThere = ours.filter(pointsAt(host)).some((record) => isOneOf(record, [...removed, ...seen]));
    const theirs = [...removed, ...seen].filter((record) => !isOneOf(record, [...expected, ...ours]));
    return !oursWasThere && theirs.some(pointsAt(host));
  });
}

/** Returns the layers of values that were just written, before the ledger stores the layers by name. */
export const expectedOf = (owned: readonly Written[]): Displacement[] =>
  displacementsOf(owned.flatMap(({ previous }) => previous).filter(isFirst), []);

type Outcome = Pick<Plan, 'creates' | 'conflicts' | 'removals'>;

/** Plans all pointers of one name together: half of them would split the name's traffic. */
function planPointers(at: {
  host: string;
  missing: readonly Addition[];
  existing: readonly ZoneRecord[];
  desired: readonly DnsRecord[];
  policy: ConflictPolicy;
  reserved: readonly Named[];
  layers: readonly Displacement[];
}): Outcome {
  const wanted = at.missing.filter((record) => record.host === at.host && isPointer(record));
  const others = at.existing.filter((record) => record.host === at.host && !isOneOf(record, at.desired));
  const pointers = others.filter(isPointer);
  const wantsCname = wanted.some((record) => record.type === 'CNAME');
  const taken = others.filter((record) => (isPointer(record) ? isOneOf(record, at.reserved) : wantsCname));

  const refuse = (found: readonly ZoneRecord[], reason: ConflictReason): Outcome => ({
    creates: [],
    conflicts: wanted.map((record) => ({ wanted: record, found, reason })),
    removals: [],
  });
  if (taken.length > 0) return refuse(taken, 'name_is_taken');
  if (pointers.length > 0 && at.policy === 'refuse') return refuse(pointers, 'points_elsewhere');
  if (pointers.some((record) => record.readOnly)) return refuse(pointers, 'read_only');

  const staying = at.existing.filter((record) => !pointers.includes(record));
  const displaced = [...pointers, ...at.layers.flatMap(({ records }) => records).toReversed()];
  return {
    creates: wanted.map((record) => ({
      record: withTtlOfSet(withSettingsOf(displaced, record), staying),
      previous: pointers,
    })),
    conflicts: [],
    removals: pointers,
  };
}

/** Plans a record that is not a pointer: it cannot exist next to a CNAME or another policy for the same mail. */
function planOther(wanted: Addition, existing: readonly ZoneRecord[], desired: readonly DnsRecord[]): Outcome {
  const others = existing.filter((record) => record.host === wanted.host && !isOneOf(record, desired));
  const cname = others.filter((record) => record.type === 'CNAME');
  const mail = others.filter((record) => isSameMailPolicy(wanted, record));
  const found = cname.length > 0 ? cname : mail;
  if (found.length === 0) {
    return { creates: [{ record: withTtlOfSet(wanted, existing), previous: [] }], conflicts: [], removals: [] };
  }
  const reason = cname.length > 0 ? 'name_is_cname' : 'mail_policy';
  return { creates: [], conflicts: [{ wanted, found, reason }], removals: [] };
}

/**
 * Whether both records are policies for the same mail. Two SPF or DMARC policies are void (RFC 7208 3.2, RFC 7489
 * 6.6.3), and MX records of two mailbox providers divert mail.
 */
function isSameMailPolicy(wanted: DnsRecord, found: ZoneRecord): boolean {
  if (wanted.type === 'MX') return found.type === 'MX';
  const policy = mailPolicy(wanted);
  return policy !== undefined && policy === mailPolicy(found);
}

function mailPolicy(record: Pick<ZoneRecord, 'type' | 'value'>): string | undefined {
  return record.type === 'TXT' ? /^v=(?:spf1|dmarc1)(?=[\s;]|$)/i.exec(record.value)?.[0].toLowerCase() : undefined;
}

/** Returns a wanted value with the TTL and the provider's settings of an equal displaced value, if there is one. */
function withSettingsOf(displaced: readonly ZoneRecord[], wanted: Addition): Addition {
  const equal = displaced.find((record) => sameRecord(record, wanted));
  return equal ? { ...wanted, ttl: equal.ttl, extra: equal.extra } : wanted;
}

/** Returns the record with the TTL of its record set (RFC 2181 section 5.2). The customer's TTL wins. */
function withTtlOfSet(record: Addition, existing: readonly ZoneRecord[]): Addition {
  const set = existing.find((other) => other.host === record.host && other.type === record.type);
  return { ...record, ttl: set?.ttl ?? record.ttl };
}

/** Returns the current records that we wrote, for any purpose. */
export const oursIn = (
  current: readonly ZoneRecord[],
  owned: readonly Written[],
  reserved: readonly Named[],
): ZoneRecord[] =>
  current.filter((record) => owned.some((written) => sameRecord(written.record, record)) || isOneOf(record, reserved));

/** Returns a test for pointers at this name. */
const pointsAt =
  (host: string) =>
  (record: Named): boolean =>
    record.host === host && isPointer(record);

/** Whether no equal record comes earlier: values of one name displace the same records, so the list repeats them. */
const isFirst = (record: ZoneRecord, i: number, all: readonly ZoneRecord[]): boolean =>
  !isOneOf(record, all.slice(0, i));
