import type { Tx } from '../db/pool.ts';
import type { CredentialRow } from '../db/zone/credentials.ts';
import type { LedgerStore } from '../db/zone/ledger.ts';
import { displacementsOf } from '../domain/zone/displacement.ts';
import { confirm, confirmLayers, intend, withdraw, type IntendedLayer, type Intention } from '../domain/zone/ledger.ts';
import type { LedgerChange, WriteContext } from '../domain/zone/ledger-rows.ts';
import { changeOf, decidedMeanwhile, type Conflict } from '../domain/zone/plan.ts';
import type { ZoneRecord } from '../domain/zone/zone-record.ts';
import type { Account, Applied } from '../providers/contract.ts';
import { decidedApply, type Deciding } from './decided-apply.ts';
import { planFrom, plannedHosts, type PlanRequest, type RequestPlan } from './plan.ts';

/** The records to write, for whom, and with which credential. */
export interface Target extends PlanRequest {
  credential: Pick<CredentialRow, 'id' | 'provider'>;
  now: Date;
  signal: AbortSignal;
  /** Owner name of the wildcard whose records are copied, if they are. */
  wildcard?: string;
  /** Checks once more whether the write is allowed, in the transaction that records it, and throws if it is not. */
  guard?(tx: Tx, planned: RequestPlan): Promise<void>;
}

/** The plan that was carried out. Where it has conflicts, nothing was written. */
interface WritePlan {
  planned: RequestPlan;
  /** Undefined where nothing was written. */
  intention: Intention | undefined;
}

/** Conflicts that kept us from writing, or the plan that was written. */
export type ApplyOutcome = { conflicts: readonly Conflict[] } | { written: RequestPlan };

/** Plans from the records that the provider returns, records the intention, writes, and records the answer. */
export async function applyDesired(ledger: LedgerStore, account: Account, target: Target): Promise<ApplyOutcome> {
  const save = (changes: LedgerChange[]) => ledger.update(() => ({ changes, result: null }));
  const at = { zone: target.zone, hosts: plannedHosts(target), signal: target.signal };
  const { decision, ...answer } = await decidedApply<WritePlan>(account, at, async (current, previous) => {
    if (previous?.intention) await save(withdraw(previous.intention));
    target.signal.throwIfAborted();
    return decideWrite(ledger, target, current);
  });
  if ('refusal' in answer) {
    const { mayHaveChanged, removed } = answer.refusal;
    if (decision?.intention) {
      if (!mayHaveChanged) await save(withdraw(decision.intention));
      // Overtaken half-way: records that the customer removed in that moment must not return as displaced ones.
      else if (removed) await save(confirmLayers(decision.intention, displacementsOf(removed, decision.planned.ours)));
    }
    throw answer.refusal;
  }
  if (decision === undefined) throw new Error('The provider applied a change without reading the zone.');
  const { planned, intention } = decision;
  if (intention === undefined) return { conflicts: planned.plan.conflicts };
  const overtaken = await overtakenHosts(account, target, planned, answer.applied);
  await ledger.update((rows) => ({
    changes: confirm(rows, { planned, intention }, { ...answer.applied, overtaken }, contextOf(target)),
    result: null,
  }));
  return { written: planned };
}

async function decideWrite(
  ledger: LedgerStore,
  target: Target,
  current: readonly ZoneRecord[],
): Promise<Deciding<WritePlan>> {
  type Result = { planned: RequestPlan; repeated: readonly IntendedLayer[] | undefined };
  const { result, added } = await ledger.update<Result>(async (rows, tx) => {
    const planned = planFrom(rows, target, current);
    if (planned.plan.conflicts.length > 0) return { changes: [], result: { planned, repeated: undefined } };
    await target.guard?.(tx, planned);
    const { changes, repeated } = intend(rows, planned, contextOf(target));
    return { changes, result: { planned, repeated } };
  });
  const { planned, repeated } = result;
  if (repeated === undefined) return { decision: { planned, intention: undefined }, change: undefined };
  const isRepeated = (host: string) => repeated.some((layer) => layer.host === host);
  const hosts = planned.plan.displaces.map(({ host }) => host).filter((host) => !isRepeated(host));
  const layers = added.layers.map((id, index) => ({ id, host: hosts[index] ?? '', isNew: true }));
  const intention = { values: added.values, layers: [...repeated, ...layers] };
  return { decision: { planned, intention }, change: changeOf(planned.plan) };
}

const contextOf = ({ purpose, credential, zone, now, wildcard }: Target): WriteContext => ({
  purpose,
  location: { credential_id: credential.id, provider: credential.provider, zone_id: zone.id, zone_name: zone.name },
  now,
  ...(wildcard === undefined ? {} : { wildcard }),
});

/** Returns the names that the owner pointed elsewhere while we wrote; none if the provider does not answer. */
async function overtakenHosts(
  account: Account,
  { zone, signal }: Target,
  { plan, ours }: RequestPlan,
  { removed }: Applied,
): Promise<string[]> {
  if (plan.atRisk.length === 0) return [];
  const seen = await account.records(zone, plan.atRisk, { signal }).catch(() => []);
  return decidedMeanwhile(plan, { ours, removed, seen });
}
