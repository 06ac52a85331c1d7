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

/** What of `apply` differs between providers: how a zone is read, and how a change is written. */
export interface ZoneAccess<State> {
  /** What stands at these hosts, as the provider tells it: foreign values are sent back in this form. */
  read(hosts: readonly string[]): Promise<State>;
  /** The records at these hosts; a provider that can only be read whole tells of others too. */
  recordsOf(state: State, hosts: readonly string[]): readonly ZoneRecord[];
  /** False when another writer was faster and nothing was written; then it is read again. */
  write(left: RemainingChange, before: State): Promise<boolean>;
  /** Makes the provider serve what it was told, where that is a step of its own. Doing it once too often is harmless. */
  publish?(): Promise<void>;
  /** The zone's lock, where reading and writing happen inside it. */
  lease?: Lease;
}

const ATTEMPTS_MAX = 5;

/** `apply` as the contract has it: read, decide, see what is left, write, publish, read back. */
export async function applyChange<State>(
  descriptor: Descriptor,
  zone: Zone,
  change: ZoneChange | Decision,
  access: ZoneAccess<State>,
): Promise<Applied> {
  const hosts = hostsIn(zone, 'decide' in change ? change.hosts : hostsOf(change));
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const before = await access.read(hosts);
    const standing = access.recordsOf(before, hosts);
    const wanted = 'decide' in change ? await change.decide(standing) : change;
    if (wanted === undefined) return { changed: false, standing: [], removed: [] };
    const left = remainingChange(descriptor, zone, wanted, standing);
    if (isDone(left)) {
      await access.publish?.();
      return { changed: false, standing: standingOf(wanted, standing), removed: [] };
    }
    await access.lease?.confirm();
    if (await access.write(left, before)) return afterWriting(() => finish(descriptor, zone, wanted, left, access));
  }
  throw new ProviderError('transient', `${descriptor.name}: ${zone.name} is being changed by others; try again.`);
}

/** The write was accepted. Whether it was carried out, only the zone itself tells. */
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
  const standing = access.recordsOf(state, hosts);
  const absent = wanted.add.find((record) => !isOneOf(record, standing));
  if (absent !== undefined) {
    const isLocked = left.remove.length === 0;
    if (!isLocked) await putBack(descriptor, zone, left, { state, standing }, access);
    const why = isLocked
      ? 'Its owner may have locked the zone.'
      : 'Something there excludes it; what it was to replace is back.';
    const text = `${descriptor.name}: ${absent.type} ${absent.host} was accepted and does not stand. ${why}`;
    throw new ProviderError(isLocked ? 'transient' : 'conflict', text);
  }
  const present = left.remove.find((record) => isOneOf(record, standing));
  if (present !== undefined) {
    const text = `${present.type} ${present.host} was to be removed and still stands.`;
    throw new ProviderError('transient', `${descriptor.name}: ${text}`);
  }
  return { changed: true, standing: standingOf(wanted, standing), removed: left.remove };
}

/** A name must not lead nowhere because its new record was dropped in silence: what left for it comes back. */
async function putBack<State>(
  descriptor: Descriptor,
  zone: Zone,
  { remove }: RemainingChange,
  { state, standing }: { state: State; standing: readonly ZoneRecord[] },
  access: ZoneAccess<State>,
): Promise<void> {
  const add = remove
    .map(additionOf)
    .filter((record) => record !== undefined)
    .filter((record) => !standing.some((other) => excludes(record, other)));
  const left = remainingChange(descriptor, zone, { add, remove: [] }, standing);
  if (isDone(left)) return;
  await access.lease?.confirm();
  await access.write(left, state);
  await access.publish?.();
}

/** From here on the zone may be different, whatever fails. */
export async function afterWriting<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw error instanceof ProviderError ? error.afterChange() : error;
  }
}

const hostsOf = ({ add, remove }: ZoneChange): string[] => [...add, ...remove].map(({ host }) => host);

const standingOf = ({ add }: ZoneChange, standing: readonly ZoneRecord[]): ZoneRecord[] =>
  add.flatMap((wanted) => standing.find((record) => sameRecord(record, wanted)) ?? []);
