import type { ZoneRecord } from './zone-record.ts';
import type { AddedRows, ClosedLayer, ClosedValue, Layer, Ledger, LedgerChange, OwnedValue } from './ledger-rows.ts';

type Change<Kind> = Extract<LedgerChange, { kind: Kind }>;

/** New fields of one open value. Absent fields stay. */
export interface ValuePatch {
  id: string;
  credential_id?: string;
  connection_id?: string;
  at?: Date;
  status?: 'standing' | ClosedValue;
  ttl?: number;
  /** The provider's id of a value that is known to exist; null if it has none. */
  record_id?: string | null;
}

/** New fields of one open layer. Absent fields stay. */
export interface LayerPatch {
  id: number;
  credential_id?: string;
  connection_id?: string;
  status?: ClosedLayer;
  records?: readonly ZoneRecord[];
}

/** The changes of one decision, with at most one patch for each row. */
export interface LedgerPatches {
  values: readonly ValuePatch[];
  layers: readonly LayerPatch[];
  newValues: readonly Change<'add value'>[];
  newLayers: readonly Change<'add layer'>[];
}

/** Merges changes, because one statement can change a row only once. A later change of a field wins. */
export function patchesOf(changes: readonly LedgerChange[]): LedgerPatches {
  const values = new Map<string, ValuePatch>();
  const layers = new Map<number, LayerPatch>();
  for (const change of changes) {
    if (change.kind === 'add value' || change.kind === 'add layer') continue;
    if (typeof change.id === 'string')
      values.set(change.id, { ...values.get(change.id), ...valuePatch(change), id: change.id }); // prettier-ignore
    else layers.set(change.id, { ...layers.get(change.id), ...layerPatch(change), id: change.id });
  }
  return {
    values: [...values.values()],
    layers: [...layers.values()],
    newValues: changes.filter((change) => change.kind === 'add value'),
    newLayers: changes.filter((change) => change.kind === 'add layer'),
  };
}

function valuePatch(change: LedgerChange): Partial<ValuePatch> {
  switch (change.kind) {
    case 'repeat value':
      return { credential_id: change.context.location.credential_id, at: change.context.now };
    case 'confirm value':
      return { status: 'standing', ttl: change.ttl, record_id: change.recordId };
    case 'close value':
      return { status: change.status };
    case 'move value':
      return { credential_id: change.credentialId };
    case 'pass on value':
      return { connection_id: change.connectionId };
    default:
      return {};
  }
}

function layerPatch(change: LedgerChange): Partial<LayerPatch> {
  switch (change.kind) {
    case 'confirm layer':
      return { records: change.records };
    case 'close layer':
      return { status: change.status };
    case 'move layer':
      return { credential_id: change.credentialId };
    case 'pass on layer':
      return { connection_id: change.connectionId };
    default:
      return {};
  }
}

/** Returns the open rows after the changes of one decision were saved. `added` are the ids of the new rows. */
export function changedLedger(ledger: Ledger, changes: readonly LedgerChange[], added: AddedRows): Ledger {
  const patches = patchesOf(changes);
  const values = new Map(patches.values.map((patch) => [patch.id, patch]));
  const layers = new Map(patches.layers.map((patch) => [patch.id, patch]));
  return {
    values: [
      ...ledger.values.flatMap((row) => patchedValue(row, values.get(row.id))),
      ...patches.newValues.flatMap((change, index) => newValue(change, added.values[index])),
    ],
    layers: [
      ...ledger.layers.flatMap((row) => patchedLayer(row, layers.get(row.id))),
      ...patches.newLayers.flatMap((change, index) => newLayer(change, added.layers[index])),
    ],
  };
}

function patchedValue(row: OwnedValue, patch: ValuePatch | undefined): OwnedValue[] {
  if (patch === undefined) return [row];
  const { status = row.status, credential_id = row.credential_id, at = row.at, ttl = row.ttl, connection_id } = patch;
  if (connection_id !== undefined || (status !== 'intended' && status !== 'standing')) return [];
  return [{ ...row, status, credential_id, at, ttl }];
}

function patchedLayer(row: Layer, patch: LayerPatch | undefined): Layer[] {
  if (patch === undefined) return [row];
  const { credential_id = row.credential_id, records = row.records } = patch;
  return patch.status === undefined && patch.connection_id === undefined ? [{ ...row, credential_id, records }] : [];
}

function newValue({ value, context }: Change<'add value'>, id: string | null | undefined): OwnedValue[] {
  const { purpose, location, now: at, wildcard = null } = context;
  const row = { ...value, ...location, purpose, at, wildcard, extra: value.extra ?? null };
  return id == null ? [] : [{ ...row, id, status: 'intended' }];
}

function newLayer({ layer, context }: Change<'add layer'>, id: number | undefined): Layer[] {
  const { purpose, location } = context;
  return id === undefined ? [] : [{ ...layer, ...location, purpose, id }];
}
