import type { ConnectionRow } from '../db/connection/connection-row.ts';
import type { CoveringCredential } from '../db/zone/credentials.ts';
import { conflictText, cutoverPlanOf, type CutoverPlan } from '../domain/connection/cutover.ts';
import { writtenRecords } from '../domain/connection/edge-addresses.ts';
import type { NewTtl } from '../domain/zone/zone-record.ts';
import type { Account, Zone } from '../providers/contract.ts';
import { openAccount, type ProviderAccess } from '../provisioning/account.ts';
import { planFor } from '../provisioning/plan.ts';
import { findZone } from '../provisioning/write.ts';

interface OpenZone {
  account: Account;
  zone: Zone;
}

async function openZone(
  providerAccess: ProviderAccess,
  credential: CoveringCredential,
  hostname: string,
  signal: AbortSignal,
): Promise<OpenZone | { problem: string }> {
  const account = openAccount(providerAccess, credential);
  const found = await findZone(providerAccess, account, credential, hostname, signal);
  return 'problem' in found ? found : { account, zone: found.zone };
}

/** Reads the zone and returns the change that a cutover would make, or why it is impossible. */
export async function planCutover(
  providerAccess: ProviderAccess,
  credential: CoveringCredential,
  row: ConnectionRow,
  signal: AbortSignal,
): Promise<{ plan: CutoverPlan } | { problem: string }> {
  const opened = await openZone(providerAccess, credential, row.hostname, signal);
  if ('problem' in opened) return opened;
  const { account, zone } = opened;
  const desired = writtenRecords(row.desired_records, providerAccess.edge);
  const request = { zone, row, desired, policy: 'replace', purpose: 'connection' } as const;
  const { plan } = await planFor(providerAccess, account, request, signal);
  const [conflict] = plan.conflicts;
  if (conflict !== undefined) return { problem: conflictText(conflict) };
  return { plan: cutoverPlanOf({ provider: credential.provider, zone: zone.name }, plan) };
}

/** Gives record sets other TTLs. Returns why it is impossible; null if it is done. */
export async function retime(
  providerAccess: ProviderAccess,
  credential: CoveringCredential,
  hostname: string,
  { ttls, signal }: { ttls: readonly NewTtl[]; signal: AbortSignal },
): Promise<string | null> {
  const opened = await openZone(providerAccess, credential, hostname, signal);
  if ('problem' in opened) return opened.problem;
  await opened.account.apply(opened.zone, { add: [], remove: [], retime: ttls }, { signal });
  return null;
}
