import { readLedger, type LedgerStore } from '../db/zone/ledger.ts';
import { isInZone } from '../domain/record.ts';
import { hostnamesAtRisk, hostsToRead, wildcardCopies, type WildcardCopies } from '../domain/zone/wildcard.ts';
import { hostsOf } from '../domain/zone/zone-record.ts';
import type { Account } from '../providers/contract.ts';
import type { ProviderAccess } from './account.ts';
import { applyDesired, type Target } from './apply.ts';

/**
 * Writes copies of a wildcard's records before a write that would take hostnames out of DNS. A process that ends between
 * both writes leaves copies that answer like the wildcard. They belong to the connection, so pointers replace them, and
 * undo removes them.
 */
export async function keepWildcardAnswers(
  providerAccess: ProviderAccess,
  ledger: LedgerStore,
  account: Account,
  target: Target,
): Promise<void> {
  for (const name of hostnamesAtRisk(target.desired, target.zone.name)) {
    const found = await copiesNeeded(providerAccess, account, target, name);
    if (found === undefined) continue;
    const { wildcard, records: desired } = found;
    // The owner may have added records at one of the names meanwhile. They conflict, and that name needs no copy.
    const options = { purpose: 'connection', policy: 'refuse', leavesOut: true } as const;
    await applyDesired(ledger, account, { ...target, ...options, wildcard, desired, hosts: hostsOf(desired) });
  }
}

/**
 * DNS decides first, because a list of the records at some names does not show whether others exist below them. Where
 * only a wildcard answers, or no server does, the zone's own records are the better evidence, with their settings.
 */
async function copiesNeeded(
  { pool, observeWildcard }: ProviderAccess,
  account: Account,
  { zone, row, signal }: Target,
  name: string,
): Promise<WildcardCopies | undefined> {
  const { covered, records } = await observeWildcard(name, signal);
  const { values } = await readLedger(pool, row.id);
  const copies = values.filter(({ wildcard, zone_id }) => wildcard !== null && zone_id === zone.id);
  // An earlier write may have added only a part of them, at a provider that adds one record at a time.
  const isUnfinished = copies.some(
    ({ status, host }) => status === 'intended' && isInZone(name, host.replace('*.', '')),
  );
  if (covered === false && !isUnfinished) return undefined;
  const current = await account.records(zone, hostsToRead(name, zone.name), { signal });
  const answers = records.filter(({ host }) => host === name);
  return wildcardCopies({ name, zone: zone.name, current, copies, answers });
}
