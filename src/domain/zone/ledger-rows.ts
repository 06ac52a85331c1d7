import type { DnsRecord } from '../record.ts';
import type { Displacement } from './displacement.ts';
import type { Purpose, Written } from './plan.ts';
import type { Addition, Extra, ZoneRecord } from './zone-record.ts';

/** The zone that holds a value, and the credential that can remove it. */
export interface Location {
  credential_id: string;
  provider: string;
  zone_id: string;
  zone_name: string;
}

/** A value that we wrote: `intended` before the provider has answered, `standing` once it is known to exist. */
export interface OwnedValue extends Location, DnsRecord {
  id: string;
  purpose: Purpose;
  status: 'intended' | 'standing';
  /** Time of the last write. */
  at: Date;
  extra: Extra | null;
  /** Owner name of the wildcard that this value is a copy of; null for all other values. */
  wildcard: string | null;
}

/** Records of the customer that one of our writes displaced at one name. Undo puts them back. */
export interface Layer extends Location, Displacement {
  id: number;
  purpose: Purpose;
}

/** The open rows of one connection: values that may exist in a zone, and layers that were not put back, oldest first. */
export interface Ledger {
  values: readonly OwnedValue[];
  layers: readonly Layer[];
}

export type ClosedValue = 'removed' | 'surrendered' | 'withdrawn';
export type ClosedLayer = 'restored' | 'surrendered' | 'withdrawn';

export interface WriteContext {
  purpose: Purpose;
  location: Location;
  now: Date;
  /** Set if the values are copies of a wildcard's records. */
  wildcard?: string;
}

/** One change of the ledger. All changes of a decision are saved together. */
export type LedgerChange =
  | { kind: 'add value'; value: Addition; context: WriteContext }
  | { kind: 'repeat value'; id: string; context: WriteContext }
  | { kind: 'confirm value'; id: string; ttl: number; recordId: string | null }
  | { kind: 'close value'; id: string; status: ClosedValue }
  | { kind: 'move value'; id: string; credentialId: string }
  | { kind: 'pass on value'; id: string; connectionId: string }
  | { kind: 'add layer'; layer: Displacement; context: WriteContext }
  | { kind: 'confirm layer'; id: number; records: readonly ZoneRecord[] }
  | { kind: 'close layer'; id: number; status: ClosedLayer }
  | { kind: 'move layer'; id: number; credentialId: string }
  | { kind: 'pass on layer'; id: number; connectionId: string };

/** Ids of the rows that a list of changes added, in the order of the changes. */
export interface AddedRows {
  /** Null where another process had just added an equal value: its row is not ours to withdraw. */
  values: readonly (string | null)[];
  layers: readonly number[];
}

export const closeValues = (values: readonly OwnedValue[], status: ClosedValue): LedgerChange[] =>
  values.map(({ id }) => ({ kind: 'close value', id, status }));
export const closeLayers = (layers: readonly { id: number }[], status: ClosedLayer): LedgerChange[] =>
  layers.map(({ id }) => ({ kind: 'close layer', id, status }));

export const inZone = ({ values, layers }: Ledger, zoneId: string): Ledger => ({
  values: values.filter(({ zone_id }) => zone_id === zoneId),
  layers: layers.filter(({ zone_id }) => zone_id === zoneId),
});

export const asWritten = ({ host, type, value, ttl, priority, extra }: OwnedValue): Written => ({
  record: { host, type, value, ttl, priority, extra },
  previous: [],
});
