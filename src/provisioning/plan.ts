import { displacedLayers } from '../db/zone/displaced.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import type { Pool } from '../db/pool.ts';
import { asWritten, ownedValues, type LedgerRow } from '../db/zone/ledger.ts';
import { oursIn, plan, type Conflict, type ConflictPolicy, type Plan, type Purpose } from '../domain/zone/plan.ts';
import type { DnsRecord } from '../domain/record.ts';
import { hostsOf, isOneOf, type ZoneRecord } from '../domain/zone/zone-record.ts';
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
  /** What the plan leaves out, because something of the customer's stands in its way. */
  leftOut: readonly Conflict[];
}

/** What a plan is made for: the records that shall stand, in which zone, and how conflicts are met. */
export interface PlanRequest {
  zone: Zone;
  row: Pick<ConnectionRow, 'id'>;
  desired: readonly DnsRecord[];
  policy: ConflictPolicy;
  purpose: Purpose;
  /** Every name that the plan is about: what we wrote there and no longer want goes. Those of `desired` unless given. */
  hosts?: readonly string[];
  /** What conflicts is left out and the rest is planned; else a conflict is for the caller to see, who then writes nothing. */
  leavesOut?: boolean;
}

export const plannedHosts = ({ hosts, desired }: Pick<PlanRequest, 'hosts' | 'desired'>): readonly string[] =>
  hosts ?? hostsOf(desired);

/** What would happen, from the zone as it is now. */
export const planFor = async (
  { pool }: Pick<ProviderAccess, 'pool'>,
  account: Account,
  request: PlanRequest,
  signal: AbortSignal,
): Promise<Planned> => planFrom(pool, request, await account.records(request.zone, plannedHosts(request), { signal }));

/** The same from what stands at the planned names. Values at other names and in other zones are another plan's. */
export async function planFrom(pool: Pool, request: PlanRequest, current: readonly ZoneRecord[]): Promise<Planned> {
  const whole = await planWhole(pool, request, current);
  const { conflicts } = whole.plan;
  if (conflicts.length === 0 || request.leavesOut !== true) return whole;
  const refused = conflicts.map(({ wanted }) => wanted);
  // Where the new values cannot be set, the old ones of ours stay: mail must not end because of a conflict.
  const staying = whole.owned.filter(
    (one) => isOneOf(one, current) && refused.some(({ host, type }) => host === one.host && type === one.type),
  );
  const desired = [...request.desired.filter((record) => !refused.includes(record)), ...staying];
  const rest = await planWhole(pool, { ...request, desired, hosts: plannedHosts(request) }, current);
  return { ...rest, leftOut: conflicts };
}

async function planWhole(pool: Pool, request: PlanRequest, current: readonly ZoneRecord[]): Promise<Planned> {
  const { zone, row, desired, policy, purpose } = request;
  const hosts = plannedHosts(request);
  const isHere = ({ zone_id, host }: { zone_id: string; host: string }) => zone_id === zone.id && hosts.includes(host);
  const ledger = (await ownedValues(pool, row.id)).filter(isHere);
  const owned = ledger.filter((value) => value.purpose === purpose);
  const reserved = ledger.filter((value) => value.purpose !== purpose);
  const displaced = (await displacedLayers(pool, row.id)).filter(isHere);
  const written = owned.map(asWritten);
  const made = plan({ current, desired, owned: written, policy, displaced, reserved });
  return { plan: made, current, ours: oursIn(current, written, reserved), owned, leftOut: [] };
}
