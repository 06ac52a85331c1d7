import type { ZoneChange, ZoneRecord } from '../../domain/zone-record.ts';
import type { Applied, Zone } from '../contract.ts';
import type { Descriptor } from '../descriptor.ts';
import { applied, hostsOf, isDone, remainingChange, type RemainingChange } from './remaining-change.ts';
import { ProviderError } from '../provider-error.ts';

/** The two things of `apply` that differ between providers: how a zone is read, and how a change is written. */
export interface ZoneAccess<State> {
  /** What stands at these hosts, as the provider tells it: foreign values are sent back in this form. */
  read(hosts: readonly string[]): Promise<State>;
  recordsOf(state: State): readonly ZoneRecord[];
  /** False when somebody was faster and nothing was written; then it is read again. */
  write(left: RemainingChange, before: State): Promise<boolean>;
}

const ATTEMPTS_MAX = 5;

/** `apply` as the contract has it: read, see what is left, write, read back. */
export async function applyChange<State>(
  descriptor: Descriptor,
  zone: Zone,
  change: ZoneChange,
  { read, recordsOf, write }: ZoneAccess<State>,
): Promise<Applied> {
  const hosts = hostsOf(zone, change);
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const before = await read(hosts);
    const left = remainingChange(descriptor, zone, change, recordsOf(before));
    if (isDone(left)) return applied(change, recordsOf(before), undefined);
    if (await write(left, before)) return applied(change, recordsOf(await read(hosts)), left.remove);
  }
  throw new ProviderError('transient', `${descriptor.name}: ${zone.name} is being changed by others; try again.`);
}
