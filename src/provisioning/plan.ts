import { displacedLayers } from '../db/displaced.ts';
import type { ConnectionRow } from '../db/connection-row.ts';
import type { Pool } from '../db/pool.ts';
import { asWritten, ownedValues, type LedgerRow } from '../db/ledger.ts';
import { oursIn, plan, type ConflictPolicy, type Plan, type Purpose } from '../domain/plan.ts';
import type { DnsRecord } from '../domain/record.ts';
import { hostsOf, type ZoneRecord } from '../domain/zone-record.ts';
import type { Account, Zone } from '../providers/contract.ts';
import type { ProviderAccess } from './account.ts';

/** A plan, with what it was made from. */
export interface Planned {
  plan: Plan;
  current: readonly ZoneRecord[];
  /** Those of `current` that we wrote, for whichever purpose. */
  ours: readonly ZoneRecord[];
  /** The ledger's rows of this purpose at the planned names in this zone. */
  owned: readonly LedgerRow[];
}

/** What a plan is made for: the records that shall stand, in which zone, and how conflicts are met. */
export interface PlanRequest {
  zone: Zone;
  row: Pick<ConnectionRow, 'id'>;
  desired: readonly DnsRecord[];
  policy: ConflictPolicy;
  purpose: Purpose;
}

/** What would happen, from the zone as it is now. */
export const planFor = async (
  { pool }: Pick<ProviderAccess, 'pool'>,
  account: Account,
  request: PlanRequest,
  signal: AbortSignal,
): Promise<Planned> =>
  planFrom(pool, request, await account.records(request.zone, hostsOf(request.desired), { signal }));

/** The same from what stands at the names of the desired records. Values at other names and in other zones are another plan's. */
export async function planFrom(
  pool: Pool,
  { zone, row, desired, policy, purpose }: PlanRequest,
  current: readonly ZoneRecord[],
): Promise<Planned> {
  const hosts = hostsOf(desired);
  const isHere = ({ zone_id, host }: { zone_id: string; host: string }) => zone_id === zone.id && hosts.includes(host);
  const ledger = (await ownedValues(pool, row.id)).filter(isHere);
  const owned = ledger.filter((value) => value.purpose === purpose);
  const reserved = ledger.filter((value) => value.purpose !== purpose);
  const displaced = (await displacedLayers(pool, row.id)).filter(isHere);
  const written = owned.map(asWritten);
  const made = plan({ current, desired, owned: written, policy, displaced, reserved });
  return { plan: made, current, ours: oursIn(current, written, reserved), owned };
}
