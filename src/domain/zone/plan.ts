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

/** Why we write in a zone. Each purpose plans, owns and undoes its own values and leaves those of the others alone. */
export const PURPOSES = ['connection', 'email'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** A value of ours, and the values that have to go for it. */
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
  /** Wanted and already standing, whether the customer or we wrote them. */
  keeps: readonly DnsRecord[];
  /** Those of `keeps` that we wrote for another purpose: from now on this purpose owns them too. */
  shares: readonly DnsRecord[];
  conflicts: readonly Conflict[];
  /** To go: what we wrote and no longer want, and, only under `replace`, what stands in the way. */
  removals: readonly ZoneRecord[];
  /** Those of `removals` that are the customer's: the layers that the snapshot gains. */
  displaces: readonly Displacement[];
  /** To come back: what obsolete values of ours had displaced, when nothing of ours takes its place. */
  restores: readonly Addition[];
  /** Names that the owner has pointed elsewhere instead of ours, where that stays: what we displaced before is out of date. */
  decided: readonly string[];
  /** Names with a snapshot that get pointers of ours: the owner may point them elsewhere between reading and writing. */
  atRisk: readonly string[];
  /** No longer ours without any change to the zone: the customer took them away, or another purpose keeps them. */
  surrenders: readonly Written[];
}

export interface Situation {
  /** Every record at the names of `desired` and `owned`. Records elsewhere may be left out: no decision reads them. */
  current: readonly ZoneRecord[];
  /** Free of contradictions: no name has a CNAME and something else. */
  desired: readonly DnsRecord[];
  owned: readonly Written[];
  policy: ConflictPolicy;
  /** The snapshot's layers at these names, oldest first and whichever purpose displaced them. */
  displaced?: readonly Displacement[];
  /** What we wrote for another purpose: never removed, never displaced. */
  reserved?: readonly Named[];
}

/**
 * What must be done so that the desired records stand. We add; we never remove or overwrite what we did not write,
 * except that `replace` lets A, AAAA, CNAME and ALIAS give way to A, AAAA, CNAME or ALIAS of ours. Mail is never moved:
 * a second MX set, SPF record or DMARC record would change what the customer's own one means, so it is a conflict under
 * either policy.
 */
export function plan({ current, desired, owned, policy, displaced = [], reserved = [] }: Situation): Plan {
  const everyOurs = oursIn(current, owned, reserved);
  const ours = everyOurs.filter((record) => !isOneOf(record, reserved));
  const unwanted = ours.filter((record) => !isOneOf(record, desired));
  const wished = current.filter((record) => !unwanted.includes(record));
  const missing = desired.filter((record, i) => !isOneOf(record, wished) && !isOneOf(record, desired.slice(0, i)));
  const layers = [...displaced, ...expectedOf(owned)];

  const pointers = hostsOf(missing.filter(isPointer)).map((host) =>
    planPointers({ host, missing, standing: wished, desired, policy, reserved, layers }),
  );
  // Where the new pointers cannot be set, the old ones stay: a name must not lead nowhere because of a conflict.
  const stuck = new Set(pointers.flatMap((outcome) => outcome.conflicts.map(({ wanted }) => wanted.host)));
  const obsolete = unwanted.filter((record) => !(isPointer(record) && stuck.has(record.host)));
  const giveWay = pointers.flatMap((outcome) => outcome.removals);
  const rest = current.filter((record) => !obsolete.includes(record) && !giveWay.includes(record));
  const additive = missing.filter((record) => !isPointer(record)).map((wanted) => planAdditive(wanted, rest, desired));

  const creates = [...pointers, ...additive].flatMap((outcome) => outcome.creates);
  const written = creates.map(({ record }) => record);
  const remaining = [...rest.filter((record) => everyOurs.includes(record)), ...written];
  const vacated = hostsOf(obsolete).filter((host) => !remaining.some(pointsAt(host)));
  const keeps = desired.filter((record) => isOneOf(record, wished));
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

/** The plan as the provider sees it. An empty change means that nothing is left to do. */
export const changeOf = (made: Plan): ZoneChange => ({
  add: [...made.restores, ...made.creates.map((written) => written.record)],
  remove: made.removals,
});

/** What a write found and left: our pointers that stood before it, what it took away, and what stands after it. */
export interface Aftermath {
  ours: readonly Named[];
  removed: readonly Named[];
  seen: readonly ZoneRecord[];
}

/** The same decision of the owner as in `decided`, made at a name at risk between our reading and our writing. */
export function decidedMeanwhile(made: Plan, { ours, removed, seen }: Aftermath): string[] {
  const expected = [...made.keeps, ...made.restores, ...made.creates.map(({ record }) => record)];
  return made.atRisk.filter((host) => {
    const stood = ours.filter(pointsAt(host)).some((record) => isOneOf(record, [...removed, ...seen]));
    const theirs = [...removed, ...seen].filter((record) => !isOneOf(record, [...expected, ...ours]));
    return !stood && theirs.some(pointsAt(host));
  });
}

/** What values that were just written displaced, before the ledger files it by name. */
export const expectedOf = (owned: readonly Written[]): Displacement[] =>
  displacementsOf(owned.flatMap(({ previous }) => previous).filter(isFirst), []);

type Outcome = Pick<Plan, 'creates' | 'conflicts' | 'removals'>;

/** All pointers of one name stand or fall together: half of them would split the name's traffic between two places. */
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
function asItStood(wanted: DnsRecord, stood: readonly ZoneRecord[]): Addition {
  const twin = stood.find((record) => sameRecord(record, wanted));
  return twin ? { ...wanted, ttl: twin.ttl, extra: twin.extra } : wanted;
}

/** A set has one TTL (RFC 2181 section 5.2), and it is the customer's wherever the customer had a value in it first. */
function withTtlOfSet(record: Addition, standing: readonly ZoneRecord[]): Addition {
  const set = standing.find((other) => other.host === record.host && other.type === record.type);
  return { ...record, ttl: set?.ttl ?? record.ttl };
}

/** Those of the standing records that we wrote, for whichever purpose. */
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

/** For filtering a list to one of each value: values of one name share what they displaced. */
const isFirst = (record: ZoneRecord, i: number, all: readonly ZoneRecord[]): boolean =>
  !isOneOf(record, all.slice(0, i));
