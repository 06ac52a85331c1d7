import { isDeepStrictEqual } from 'node:util';
import { normalizeHostname } from '../../domain/hostname.ts';
import { isSandboxName } from '../../domain/hostname.ts';
import type { DnsRecord } from '../../domain/record.ts';
import { isOneOf, type Named, type ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { Account, Provider, Zone } from '../contract.ts';
import { ProviderError } from '../provider-error.ts';
import { applyChange } from '../toolkit/apply-change.ts';
import { readCredential } from '../toolkit/credential.ts';
import type { LocalRecords } from '../toolkit/local-zones.ts';
import { isInZone } from '../../domain/record.ts';
import type { RemainingChange } from '../toolkit/remaining-change.ts';
import { descriptor } from './descriptor.ts';

/** The DNS of the test environment: a table in our database, whose changes are transactions. */
export const sandbox: Provider = {
  descriptor,
  open: (credential, { localZones }) => {
    const zone = zoneNamed(readCredential(descriptor, credential).zone);
    if (!localZones) throw new ProviderError('validation', `${descriptor.name}: this process has no test environment.`);

    return {
      verify: (call) => attempt(call, () => Promise.resolve([zone])),

      findZone: (host, call) => attempt(call, () => Promise.resolve(isInZone(host, zone.name) ? zone : undefined)),

      records: (_zone, hosts, call) => attempt(call, async () => (await localZones.read(hosts)).map(asZoneRecord)),

      apply: (target, change, call) =>
        applyChange(descriptor, target, change, {
          read: (hosts) => attempt(call, async () => ({ hosts, records: await localZones.read(hosts) })),
          recordsOf: ({ records }) => records.map(asZoneRecord),
          write: (left, before) =>
            attempt(call, () => localZones.change(target.name, (records) => writeIfSame(left, before, records)), {
              mayHaveChanged: true,
            }),
        }),
    } satisfies Account;
  },
};

interface Read {
  hosts: readonly string[];
  records: readonly DnsRecord[];
}

/** Compares and swaps: the records of the decision must be unchanged when the write begins. */
async function writeIfSame(left: RemainingChange, before: Read, { read, add, remove }: LocalRecords): Promise<boolean> {
  const present = await read(before.hosts);
  if (!isDeepStrictEqual(present, before.records)) return false;
  refuseDuplicates(left, present.map(asZoneRecord));
  for (const record of left.remove) await remove(record);
  for (const record of left.add) await add(record);
  return true;
}

function zoneNamed(given: string): Zone {
  const name = normalizeHostname(given, { test: true });
  if (!name.ok || !isSandboxName(name.hostname))
    throw new ProviderError(
      'validation',
      `${descriptor.name}: zone must be a name under .test, such as customer.test.`,
    );
  return { id: name.hostname, name: name.hostname, nameservers: [] };
}

const asZoneRecord = (record: DnsRecord): ZoneRecord => ({ ...record, id: null, readOnly: false, extra: null });

/** Runs a task on our database, which answers immediately or not at all, so an abort is checked only before it. */
async function attempt<T>(call: Call | undefined, task: () => Promise<T>, { mayHaveChanged = false } = {}): Promise<T> {
  call?.signal?.throwIfAborted();
  try {
    return await task();
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    throw new ProviderError('transient', `${descriptor.name}: the records cannot be read now; try again.`, {
      mayHaveChanged,
    });
  }
}

/** The table ignores the priority when it compares values, so it would silently drop a value with a second priority. */
function refuseDuplicates({ add, remove }: RemainingChange, before: readonly ZoneRecord[]): void {
  const staying: readonly Named[] = before.filter((record) => !isOneOf(record, remove));
  const duplicate = add.find((record, i) =>
    [...staying, ...add.slice(0, i)].some(
      ({ host, type, value }) => host === record.host && type === record.type && value === record.value,
    ),
  );
  if (!duplicate) return;
  const text = `${descriptor.name}: ${duplicate.type} ${duplicate.host} has this value with another priority. Remove one of them.`;
  throw new ProviderError('conflict', text);
}
