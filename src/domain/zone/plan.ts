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

export type ConflictPolicy = 'refuse' | 'replace';

/** Reasons to write in a zone. Each purpose never touches the values of another. */
export const PURPOSES = ['connection', 'email'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** A value of ours, and the values that it displaces. */
export interface Written {
  record: Addition;
  previous: readonly ZoneRecord[];
}

export type ConflictReason = 'points_elsewhere' | 'name_is_cname' | 'name_is_taken' | 'mail_policy' | 'read_only';

/** A record that we do not write, and the customer's records that exclude it. */
export interface Conflict {
  wanted: DnsRecord;
  found: readonly ZoneRecord[];
  reason: ConflictReason;
}

export interface Plan {
  /** Values to write, each with what it displaces. The TTL is that of the record set. */
  creates: readonly Written[];
  /** Wanted records that exist already, written by the customer or by us. */
  keeps: readonly DnsRecord[];
  /** Records of `keeps` that we wrote for another purpose. This purpose now owns them too. */
  shares: readonly DnsRecord[];
  conflicts: readonly Conflict[];
  /** Records to remove: our obsolete ones and, with `replace` only, the customer's that conflict. */
  removals: readonly ZoneRecord[];
  /** The customer's records among `removals`, as new layers. */
  displaces: readonly Displacement[];
  /** Records to restore: what our obsolete values displaced, unless other values of ours replace it. */
  restores: readonly Addition[];
  /** Names that the owner has pointed elsewhere. Their older layers are out of date. */
  decided: readonly string[];
  /** Names with layers that get pointers of ours. Their owner may point them elsewhere while we write. */
  atRisk: readonly string[];
  /** Values that are no longer ours: the customer removed them, or another purpose keeps them. */
  surrenders: readonly Written[];
}

export interface Situation {
  /** Every record at the names of `desired` and `owned`. Other records are not needed. */
  current: readonly ZoneRecord[];
  /** Consistent: no name has a CNAME and another record. */
  desired: readonly DnsRecord[];
  owned: readonly Written[];
  policy: ConflictPolicy;
  /** Layers at these names, oldest first, for any purpose. */
  displaced?: readonly Displacement[];
  /** Values that we wrote for another purpose. They are never removed or displaced. */
  reserved?: readonly Named[];
}

/**
 * Plans the changes that publish the desired records. We never remove or overwrite records that we did not write,
 * except that `replace` lets our A, AAAA, CNAME or ALIAS displace the customer's. Mail records are never displaced.
 */
export function plan({ current, desired, owned, policy, displaced = [], reserved = [] }: Situation): Plan {
  const everyOurs = oursIn(current, owned, reserved);
  const ours = everyOurs.filter((record) => !isOneOf(record, reserved));
  const unwanted = ours.filter((record) => !isOneOf(record, desired));
  const kept = current.filter((record) => !unwanted.includes(record));
  const missing = desired.filter((record, i) => !isOneOf(record, kept) && !isOneOf(record, desired.slice(0, i)));
  const layers = [...displaced, ...expectedOf(owned)];

  const pointers = hostsOf(missing.filter(isPointer)).map((host) =>
    planPointers({ host, missing, standing: kept, desired, policy, reserved, layers }),
  );
  // If the new pointers cannot be written, the old ones stay, so that a conflict does not take the hostname offline.
  const stuck = new Set(pointers.flatMap((outcome) => outcome.conflicts.map(({ wanted }) => wanted.host)));
  const obsolete = unwanted.filter((record) => !(isPointer(record) && stuck.has(record.host)));
  const giveWay = pointers.flatMap((outcome) => outcome.removals);
  const rest = current.filter((record) => !obsolete.includes(record) && !giveWay.includes(record));
  const additive = missing.filter((record) => !isPointer(record)).map((wanted) => planAdditive(wanted, rest, desired));

  const creates = [...pointers, ...additive].flatMap((outcome) => outcome.creates);
  const written = creates.map(({ record }) => record);
  const remaining = [...rest.filter((record) => everyOurs.includes(record)), ...written];
  const vacated = hostsOf(obsolete).filter((host) => !remaining.some(pointsAt(host)));
  const keeps = desired.filter((record) => isOneOf(record, kept));
  const pointed = hostsOf(written.filter(isPointer));

  return {
    creates,
    keeps,
    shares: keeps.filter((record) => isOneOf(record, reserved) && !owned.some((one) => sameRecord(one.record, record))),
    conflicts: [...pointers, ...additive].flatMap((outcome) => outcome.conflicts),
    removals: [...obsolete, ...giveWay],
    displaces: displacementsOf(giveWay, everyOurs),
    restores: vacated.flatMap((host) =>
      restoresAt(host, layers, { leaving: obsolete, standing: [...rest, ...written], remaining }),
    ),
    decided: pointed.filter((host) => rest.some(pointsAt(host)) && !everyOurs.some(pointsAt(host))),
    atRisk: pointed.filter((host) => layers.some((layer) => layer.host === host)),
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
    const stood = ours.filter(pointsAt(host)).some((record) => isOneOf(record, [...removed, ...seen]));
    const theirs = [...removed, ...seen].filter((record) => !isOneOf(record, [...expected, ...ours]));
    return !stood && theirs.some(pointsAt(host));
  });
}

/** Returns what values that were just written displaced, before the ledger stores it by name. */
export const expectedOf = (owned: readonly Written[]): Displacement[] =>
  displacementsOf(owned.flatMap(({ previous }) => previous).filter(isFirst), []);

type Outcome = Pick<Plan, 'creates' | 'conflicts' | 'removals'>;

/** Plans all pointers of one name together: half of them would split the name's traffic. */
function planPointers(at: {
  host: string;
  missing: readonly DnsRecord[];
  standing: readonly ZoneRecord[];
  desired: readonly DnsRecord[];
  policy: ConflictPolicy;
  reserved: readonly Named[];
  layers: readonly Displacement[];
}): Outcome {
  const wanted = at.missing.filter((record) => record.host === at.host && isPointer(record));
  const others = at.standing.filter((record) => record.host === at.host && !isOneOf(record, at.desired));
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

  const staying = at.standing.filter((record) => !pointers.includes(record));
  const stood = [...pointers, ...at.layers.flatMap(({ records }) => records).toReversed()];
  return {
    creates: wanted.map((record) => ({ record: withTtlOfSet(asItStood(record, stood), staying), previous: pointers })),
    conflicts: [],
    removals: pointers,
  };
}

function planAdditive(wanted: DnsRecord, standing: readonly ZoneRecord[], desired: readonly DnsRecord[]): Outcome {
  const others = standing.filter((record) => record.host === wanted.host && !isOneOf(record, desired));
  const cname = others.filter((record) => record.type === 'CNAME');
  const mail = others.filter((record) => isSameMailPolicy(wanted, record));
  const found = cname.length > 0 ? cname : mail;
  if (found.length === 0) {
    return { creates: [{ record: withTtlOfSet(wanted, standing), previous: [] }], conflicts: [], removals: [] };
  }
  const reason = cname.length > 0 ? 'name_is_cname' : 'mail_policy';
  return { creates: [], conflicts: [{ wanted, found, reason }], removals: [] };
}

/** Whether both are policies for the same mail, which would be void (RFC 7208 3.2, RFC 7489 6.6.3) or divert it. */
function isSameMailPolicy(wanted: DnsRecord, found: ZoneRecord): boolean {
  if (wanted.type === 'MX') return found.type === 'MX';
  const policy = mailPolicy(wanted);
  return policy !== undefined && policy === mailPolicy(found);
}

function mailPolicy(record: Pick<ZoneRecord, 'type' | 'value'>): string | undefined {
  return record.type === 'TXT' ? /^v=(?:spf1|dmarc1)(?=[\s;]|$)/i.exec(record.value)?.[0].toLowerCase() : undefined;
}

/** Returns a wanted value with the flags and TTL of an equal value that was displaced earlier. */
function asItStood(wanted: DnsRecord, stood: readonly ZoneRecord[]): Addition {
  const twin = stood.find((record) => sameRecord(record, wanted));
  return twin ? { ...wanted, ttl: twin.ttl, extra: twin.extra } : wanted;
}

/** Returns the record with the TTL of its set (RFC 2181 section 5.2). The customer's TTL wins. */
function withTtlOfSet(record: Addition, standing: readonly ZoneRecord[]): Addition {
  const set = standing.find((other) => other.host === record.host && other.type === record.type);
  return { ...record, ttl: set?.ttl ?? record.ttl };
}

/** Returns the records that we wrote, for any purpose. */
export const oursIn = (
  current: readonly ZoneRecord[],
  owned: readonly Written[],
  reserved: readonly Named[],
): ZoneRecord[] =>
  current.filter((record) => owned.some((written) => sameRecord(written.record, record)) || isOneOf(record, reserved));

const pointsAt =
  (host: string) =>
  (record: Named): boolean =>
    record.host === host && isPointer(record);

/** Whether the record is the first of its value: values of one name share what they displaced. */
const isFirst = (record: ZoneRecord, i: number, all: readonly ZoneRecord[]): boolean =>
  !isOneOf(record, all.slice(0, i));
