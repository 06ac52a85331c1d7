import {
  additionOf,
  excludes,
  isOneOf,
  sameRecord,
  type ZoneChange,
  type ZoneRecord,
} from '../../domain/zone/zone-record.ts';
import type { Applied, Decision, Zone } from '../contract.ts';
import type { Descriptor } from '../descriptor.ts';
import { ProviderError } from '../provider-error.ts';
import { hostsIn, isDone, remainingChange, type RemainingChange } from './remaining-change.ts';
import type { Lease } from './zone-lock.ts';

export interface ZoneAccess<State> {
  /** Reads the records at these hosts in the provider's own form. Foreign values are sent back in this form. */
  read(hosts: readonly string[]): Promise<State>;
  /** Returns the records at these hosts, and perhaps others if the provider can only read whole zones. */
  recordsOf(state: State, hosts: readonly string[]): readonly ZoneRecord[];
  /** Writes the change. Returns false if another writer was faster and nothing was written; `apply` reads again. */
  write(left: RemainingChange, before: State): Promise<boolean>;
  /** Makes the provider serve the written records, if that is a separate step. Must be harmless when repeated. */
  publish?(): Promise<void>;
  /** Lease on the zone lock, if reading and writing happen inside the lock. */
  lease?: Lease;
}

const ATTEMPTS_MAX = 5;

/** Implements `apply` as the contract specifies it: read, decide, compare, write, publish, read back. */
export async function applyChange<State>(
  descriptor: Descriptor,
  zone: Zone,
  change: ZoneChange | Decision,
  access: ZoneAccess<State>,
): Promise<Applied> {
  const hosts = hostsIn(zone, 'decide' in change ? change.hosts : hostsOf(change));
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const before = await access.read(hosts);
    const present = access.recordsOf(before, hosts);
    const wanted = 'decide' in change ? await change.decide(present) : change;
    if (wanted === undefined) return { changed: false, present: [], removed: [] };
    const left = remainingChange(descriptor, zone, wanted, present);
    if (isDone(left)) {
      await access.publish?.();
      return { changed: false, present: presentOf(wanted, present), removed: [] };
    }
    await access.lease?.confirm();
    if (await access.write(left, before)) return afterWriting(() => finish(descriptor, zone, wanted, left, access));
  }
  throw new ProviderError('transient', `${descriptor.name}: ${zone.name} is being changed by others; try again.`);
}

/** Publishes an accepted write and reads it back: a provider can accept a change without making it. */
async function finish<State>(
  descriptor: Descriptor,
  zone: Zone,
  wanted: ZoneChange,
  left: RemainingChange,
  access: ZoneAccess<State>,
): Promise<Applied> {
  await access.publish?.();
  const hosts = hostsIn(zone, hostsOf(wanted));
  const state = await access.read(hosts);
  const present = access.recordsOf(state, hosts);
  const absent = wanted.add.find((record) => !isOneOf(record, present));
  if (absent !== undefined) {
    const isLocked = left.remove.length === 0;
    if (!isLocked) await putBack(descriptor, zone, left, { state, present }, access);
    const why = isLocked
      ? 'Its owner may have locked the zone.'
      : 'Another record excludes it; the records that it was to replace are back.';
    const text = `${descriptor.name}: ${absent.type} ${absent.host} was accepted but does not exist. ${why}`;
    throw new ProviderError(isLocked ? 'transient' : 'conflict', text);
  }
  const gone = left.remove.filter((record) => !isOneOf(record, left.add));
  const remaining = gone.find((record) => isOneOf(record, present));
  if (remaining !== undefined) {
    const text = `${remaining.type} ${remaining.host} was to be removed and still exists.`;
    throw new ProviderError('transient', `${descriptor.name}: ${text}`);
  }
  return { changed: true, present: presentOf(wanted, present), removed: gone };
}

/** Puts back the records that were removed for a dropped addition, so that the name still resolves. */
async function putBack<State>(
  descriptor: Descriptor,
  zone: Zone,
  { remove }: RemainingChange,
  { state, present }: { state: State; present: readonly ZoneRecord[] },
  access: ZoneAccess<State>,
): Promise<void> {
  const add = remove
    .map(additionOf)
    .filter((record) => record !== undefined)
    .filter((record) => !present.some((other) => excludes(record, other)));
  const left = remainingChange(descriptor, zone, { add, remove: [] }, present);
  if (isDone(left)) return;
  await access.lease?.confirm();
  await access.write(left, state);
  await access.publish?.();
}

/** Runs a task after a write. Every failure is marked with `mayHaveChanged`. */
export async function afterWriting<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw error instanceof ProviderError ? error.afterChange() : error;
  }
}

const hostsOf = ({ add, remove, retime = [] }: ZoneChange): string[] =>
  [...add, ...remove, ...retime].map(({ host }) => host);

const presentOf = ({ add }: ZoneChange, present: readonly ZoneRecord[]): ZoneRecord[] =>
  add.flatMap((wanted) => present.find((record) => sameRecord(record, wanted)) ?? []);
