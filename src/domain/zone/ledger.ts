import type { DesiredRecord } from '../connection/edge-addresses.ts';
import { displacementsOf, type Displacement } from './displacement.ts';
import {
  asWritten,
  closeLayers,
  closeValues,
  inZone,
  type Layer,
  type Ledger,
  type LedgerChange,
  type Location,
  type OwnedValue,
  type WriteContext,
} from './ledger-rows.ts';
import type { Plan, Purpose } from './plan.ts';
import { planUndo } from './undo.ts';
import { hostsOf, isOneOf, isPointer, sameRecord, type ZoneChange, type ZoneRecord } from './zone-record.ts';

/** A plan and the facts that it was made from. */
export interface Planned {
  plan: Plan;
  current: readonly ZoneRecord[];
  /** The records of `current` that we wrote, for any purpose. */
  ours: readonly ZoneRecord[];
  /** Our values of this purpose at the planned names in this zone. */
  owned: readonly OwnedValue[];
}

/** A layer that describes what a write will displace: new, or an equal one that an earlier write left. */
export interface IntendedLayer {
  id: number;
  host: string;
  isNew: boolean;
}

/** The rows that one write added before it was sent. A write that did not happen withdraws them. */
export interface Intention {
  values: readonly string[];
  layers: readonly IntendedLayer[];
}

/** Records a write before it is sent, in case its answer is lost. Surrenders what the customer has removed or moved. */
export function intend(
  ledger: Ledger,
  { plan, owned }: Planned,
  context: WriteContext,
): { changes: LedgerChange[]; repeated: IntendedLayer[] } {
  const { purpose, location } = context;
  const here = inZone(ledger, location.zone_id);
  const outdated = here.layers.filter(({ host }) => plan.decided.includes(host));
  const given = plan.surrenders.map(({ record }) => record);
  const gone = owned.filter((value) => value.status === 'standing' && isOneOf(value, given));
  const open = here.values.filter((value) => value.purpose === purpose && !gone.includes(value));
  const layers = here.layers.filter((layer) => !outdated.includes(layer));
  const repeated = plan.displaces.flatMap((layer) => {
    const top = layers.findLast(({ host }) => host === layer.host);
    return top && isSameLayer(top, layer) ? { id: top.id, host: top.host, isNew: false } : [];
  });
  const isRepeated = ({ host }: Displacement) => repeated.some((layer) => layer.host === host);
  return {
    repeated,
    changes: [
      ...closeLayers(outdated, 'surrendered'),
      ...closeValues(gone, 'surrendered'),
      ...[...plan.creates.map(({ record }) => record), ...plan.shares].map((value): LedgerChange => {
        const known = open.find((one) => sameRecord(one, value));
        return known ? { kind: 'repeat value', id: known.id, context } : { kind: 'add value', value, context };
      }),
      ...plan.displaces
        .filter((layer) => !isRepeated(layer))
        .map((layer): LedgerChange => ({ kind: 'add layer', layer, context })),
    ],
  };
}

const isSameLayer = (a: Displacement, b: Displacement): boolean =>
  a.whole === b.whole &&
  a.records.length === b.records.length &&
  a.records.every((record) => isOneOf(record, b.records));

/** Withdraws a write that certainly did not happen: an equal value that appears in the zone later is not ours. */
export const withdraw = ({ values, layers }: Intention): LedgerChange[] => [
  ...values.map((id): LedgerChange => ({ kind: 'close value', id, status: 'withdrawn' })),
  ...closeLayers(layers.filter(({ isNew }) => isNew), 'withdrawn'), // prettier-ignore
];

export interface Answer {
  /** Records that exist now at the written names. */
  present: readonly ZoneRecord[];
  removed: readonly ZoneRecord[];
  /** Names that the customer pointed elsewhere between our reading and our writing. */
  overtaken: readonly string[];
}

/** Records the provider's answer: values that exist, values that are gone, and what the write really displaced. */
export function confirm(
  ledger: Ledger,
  { planned, intention }: { planned: Planned; intention: Intention },
  { present, removed, overtaken }: Answer,
  { purpose, location }: WriteContext,
): LedgerChange[] {
  const { plan, current, ours } = planned;
  const here = inZone(ledger, location.zone_id);
  const own = here.values.filter((value) => value.purpose === purpose);
  const gone = own.filter((value) => isOneOf(value, plan.removals));
  const returned = here.values.filter((value) => value.purpose !== purpose && isOneOf(value, plan.restores));
  const existing = [...present, ...current.filter((record) => !isOneOf(record, plan.removals))];
  const displaced = displacementsOf(removed, ours);
  const fresh = intention.layers.filter(({ host }) => displaced.some((layer) => layer.host === host));
  const withdrawn = intention.layers.filter((layer) => layer.isNew && !fresh.includes(layer));
  const open = here.layers.filter(({ id }) => !withdrawn.some((layer) => layer.id === id));
  const openAt = (hosts: readonly string[]) => open.filter(({ host }) => hosts.includes(host));
  const staying = own.filter((value) => !gone.includes(value));
  const isElsewhere = (row: Location & { purpose: Purpose }) =>
    row.purpose === purpose && row.credential_id !== location.credential_id;
  const credentialId = location.credential_id;
  return [
    ...closeValues(gone, 'removed'),
    ...closeValues(returned, 'surrendered'),
    ...staying.flatMap(({ id, ...value }): LedgerChange[] => {
      const record = existing.find((one) => sameRecord(one, value));
      return record ? [{ kind: 'confirm value', id, ttl: record.ttl, recordId: record.id }] : [];
    }),
    ...confirmLayers(intention, displaced),
    ...closeLayers(openAt(overtaken).filter(({ id }) => !fresh.some((layer) => layer.id === id)), 'surrendered'), // prettier-ignore
    ...closeLayers(openAt(hostsOf(plan.restores)), 'restored'),
    // The credential that wrote a zone last is the one that will clean it.
    ...staying.filter(isElsewhere).map(({ id }): LedgerChange => ({ kind: 'move value', id, credentialId })),
    ...open.filter(isElsewhere).map(({ id }): LedgerChange => ({ kind: 'move layer', id, credentialId })),
  ];
}

/** Records what a write really displaced. A new layer that displaced nothing is withdrawn. */
export const confirmLayers = ({ layers }: Intention, displaced: readonly Displacement[]): LedgerChange[] =>
  layers.flatMap(({ id, host, isNew }): LedgerChange[] => {
    const layer = displaced.find((one) => one.host === host);
    if (layer) return [{ kind: 'confirm layer', id, records: layer.records }];
    return isNew ? [{ kind: 'close layer', id, status: 'withdrawn' }] : [];
  });

/** The connection that replaces an archived one of the same hostname. */
export interface Successor {
  id: string;
  /** Whether it belongs to the same application. */
  is_own: boolean;
  desired_records: readonly DesiredRecord[];
  values: readonly OwnedValue[];
}

/** Surrenders what a successor wants: it found our values and wrote nothing, so they must stay. Returns the rest. */
export function surrender(
  ledger: Ledger,
  purpose: Purpose,
  successor: Successor | null,
): { changes: LedgerChange[]; remaining: Ledger } {
  const own = ledger.values.filter((value) => value.purpose === purpose);
  if (successor === null || own.length === 0) return { changes: [], remaining: ledger };
  // Without the copies of a wildcard's records, the successor's challenge would take the hostname out of DNS.
  const inherited = own.filter((value) => value.wildcard !== null || isOneOf(value, successor.desired_records));
  const passed = successor.is_own ? inherited.filter((value) => !isOneOf(value, successor.values)) : [];
  const pointed = hostsOf(inherited.filter(isPointer));
  const covered = ledger.layers.filter(({ host }) => pointed.includes(host));
  const connectionId = successor.id;
  return {
    changes: [
      ...passed.map(({ id }): LedgerChange => ({ kind: 'pass on value', id, connectionId })),
      ...closeValues(inherited.filter((value) => !passed.includes(value)), 'surrendered'), // prettier-ignore
      ...(successor.is_own
        ? covered.map(({ id }): LedgerChange => ({ kind: 'pass on layer', id, connectionId }))
        : closeLayers(covered, 'surrendered')),
    ],
    remaining: {
      values: ledger.values.filter((value) => !inherited.includes(value)),
      layers: ledger.layers.filter((layer) => !covered.includes(layer)),
    },
  };
}

/** The rows of one zone that one credential wrote for one purpose. */
export interface WrittenZone {
  location: Location;
  values: readonly OwnedValue[];
  /** Layers at the names of those values, for any purpose. */
  layers: readonly Layer[];
  /** Other values of ours at those names, for another purpose or by another credential. They stay. */
  reserved: readonly OwnedValue[];
}

/** Groups the rows of a purpose by credential and zone. */
export function writtenZones({ values, layers }: Ledger, purpose: Purpose): WrittenZone[] {
  const keyOf = ({ credential_id, zone_id }: Location) => `${credential_id} ${zone_id}`;
  const rows = [...values, ...layers].filter((row) => row.purpose === purpose);
  return [...Map.groupBy(rows, keyOf)].flatMap(([key, group]) => {
    const [location] = group;
    if (location === undefined) return [];
    const hosts = hostsOf(group);
    const isHere = ({ zone_id, host }: { zone_id: string; host: string }) =>
      zone_id === location.zone_id && hosts.includes(host);
    const written = values.filter((value) => value.purpose === purpose && keyOf(value) === key);
    return {
      location,
      values: written,
      layers: layers.filter(isHere),
      reserved: values.filter((value) => isHere(value) && !written.includes(value)),
    };
  });
}

/** Time after a write was sent in which it may still arrive in the zone, if its answer was lost. */
const ARRIVAL_MS = 2 * 60_000;

export interface Undone {
  /** The change that leaves the zone as it was before we wrote. */
  change: ZoneChange;
  /** Changes of the ledger once the provider has applied it. */
  changes: LedgerChange[];
  /** A value that may still arrive. Its rows stay open. */
  awaited: OwnedValue | undefined;
}

/** Decides how to leave a zone as it was before we wrote for one purpose, from the records that it holds now. */
export function undo(
  { values, layers, reserved }: Omit<WrittenZone, 'location'>,
  current: readonly ZoneRecord[],
  now: Date,
): Undone {
  const { change, surrendered, left } = planUndo(current, values.map(asWritten), { displaced: layers, reserved });
  const mayArrive = (value: OwnedValue) =>
    value.status === 'intended' && !isOneOf(value, current) && now.getTime() - value.at.getTime() < ARRIVAL_MS;
  const awaited = values.filter(mayArrive);
  const given = surrendered.map(({ record }) => record);
  const isGiven = (value: OwnedValue) => isOneOf(value, given);
  const waiting = [...left, ...hostsOf(awaited)];
  const settled = layers.filter(({ host }) => !waiting.includes(host));
  const restored = settled.filter(({ host }) => change.add.some((record) => record.host === host));
  return {
    change,
    awaited: awaited[0],
    changes: [
      ...closeValues(values.filter((value) => isGiven(value) && !awaited.includes(value)), 'surrendered'), // prettier-ignore
      // A value that returns is the customer's, even where we had written the same.
      ...closeValues(reserved.filter((value) => isOneOf(value, change.add)), 'surrendered'), // prettier-ignore
      ...closeValues(values.filter((value) => !isGiven(value)), 'removed'), // prettier-ignore
      ...closeLayers(restored, 'restored'),
      ...closeLayers(settled.filter((layer) => !restored.includes(layer)), 'surrendered'), // prettier-ignore
    ],
  };
}
