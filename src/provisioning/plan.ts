import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { readLedger } from '../db/zone/ledger.ts';
import type { Planned } from '../domain/zone/ledger.ts';
import { asWritten, inZone, type Ledger } from '../domain/zone/ledger-rows.ts';
import { remainingCopies } from '../domain/zone/wildcard.ts';
import { oursIn, plan, type Conflict, type ConflictPolicy, type Purpose } from '../domain/zone/plan.ts';
import type { DnsRecord } from '../domain/record.ts';
import { hostsOf, isOneOf, type Addition, type ZoneRecord } from '../domain/zone/zone-record.ts';
import type { Account, Zone } from '../providers/contract.ts';
import type { ProviderAccess } from './account.ts';

/** A plan for a request, and the conflicts that it leaves out. */
export interface RequestPlan extends Planned {
  leftOut: readonly Conflict[];
}

/** The records that a zone should hold, and how to treat conflicts. */
export interface PlanRequest {
  zone: Zone;
  row: Pick<ConnectionRow, 'id'>;
  desired: readonly Addition[];
  policy: ConflictPolicy;
  purpose: Purpose;
  /** Every name that the plan covers; our values there that are not desired are removed. Default: the names of `desired`. */
  hosts?: readonly string[];
  /** Values of ours that stay where they exist, although they are not desired. */
  keeps?: readonly DnsRecord[];
  /** Leaves conflicting records out and plans the rest. Otherwise the caller sees the conflicts and writes nothing. */
  leavesOut?: boolean;
}

export const plannedHosts = ({ hosts, desired }: Pick<PlanRequest, 'hosts' | 'desired'>): readonly string[] =>
  hosts ?? hostsOf(desired);

/** Reads the zone and returns the plan for it, without writing. */
export async function planFor(
  { pool }: Pick<ProviderAccess, 'pool'>,
  account: Account,
  request: PlanRequest,
  signal: AbortSignal,
): Promise<RequestPlan> {
  const current = await account.records(request.zone, plannedHosts(request), { signal });
  return planFrom(await readLedger(pool, request.row.id), request, current);
}

/** Returns the plan for the records that exist at the planned names. Other names and zones have plans of their own. */
export function planFrom(ledger: Ledger, request: PlanRequest, current: readonly ZoneRecord[]): RequestPlan {
  const whole = planWhole(ledger, request, current);
  const { conflicts } = whole.plan;
  if (conflicts.length === 0 || request.leavesOut !== true) return { ...whole, leftOut: [] };
  const refused = conflicts.map(({ wanted }) => wanted);
  // Where the new values cannot be written, our old ones stay: mail must not stop because of a conflict.
  const staying = whole.owned.filter(
    (one) => isOneOf(one, current) && refused.some(({ host, type }) => host === one.host && type === one.type),
  );
  const desired = [...request.desired.filter((record) => !refused.includes(record)), ...staying];
  const rest = planWhole(ledger, { ...request, desired, hosts: plannedHosts(request) }, current);
  return { ...rest, leftOut: conflicts };
}

function planWhole(ledger: Ledger, request: PlanRequest, current: readonly ZoneRecord[]): Planned {
  const { zone, policy, purpose } = request;
  const hosts = plannedHosts(request);
  const isPlanned = ({ host }: { host: string }) => hosts.includes(host);
  const { values, layers } = inZone(ledger, zone.id);
  const owned = values.filter((value) => isPlanned(value) && value.purpose === purpose);
  const reserved = values.filter((value) => isPlanned(value) && value.purpose !== purpose);
  const copies = owned.filter(({ wildcard }) => wildcard !== null);
  const desired = [
    ...request.desired,
    ...remainingCopies(copies, request.desired).filter((copy) => isOneOf(copy, current)),
    ...(request.keeps ?? []).filter((kept) => isOneOf(kept, owned) && isOneOf(kept, current)),
  ];
  const written = owned.map(asWritten);
  const displaced = layers.filter(isPlanned);
  const made = plan({ current, desired, owned: written, policy, displaced, reserved });
  return { plan: made, current, ours: oursIn(current, written, reserved), owned };
}
