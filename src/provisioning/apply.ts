import type { Tx } from '../db/pool.ts';
import type { CredentialRow } from '../db/zone/credentials.ts';
import type { LedgerStore } from '../db/zone/ledger.ts';
import { displacementsOf } from '../domain/zone/displacement.ts';
import { confirm, confirmLayers, intend, withdraw, type Intention } from '../domain/zone/ledger.ts';
import { changedLedger } from '../domain/zone/ledger-patches.ts';
import type { AddedRows, Ledger, WriteContext } from '../domain/zone/ledger-rows.ts';
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
  /** Returns the error that refuses the write while a cutover of the connection is in progress. */
  duringCutover?(): Error;
}

/** The plan that was carried out. Where it has conflicts, nothing was written. */
interface WritePlan {
  planned: RequestPlan;
  /** Undefined where nothing was written. */
  intention: Intention | undefined;
  /** The ledger after the intention was saved; undefined if another process saved an equal value meanwhile. */
  ledger: Ledger | undefined;
}

/** Conflicts that kept us from writing, or the plan that was written. */
export type ApplyOutcome = { conflicts: readonly Conflict[] } | { written: RequestPlan };

/** Plans from the records that the provider returns, records the intention, writes, and records the answer. */
export async function applyDesired(ledger: LedgerStore, account: Account, target: Target): Promise<ApplyOutcome> {
  const at = { zone: target.zone, hosts: plannedHosts(target), signal: target.signal };
  const { decision, ...answer } = await decidedApply<WritePlan>(account, at, async (current, previous) => {
    if (previous?.intention) await ledger.save(withdraw(previous.intention));
    target.signal.throwIfAborted();
    return decideWrite(ledger, target, current);
  });
  if ('refusal' in answer) {
    const { mayHaveChanged, removed } = answer.refusal;
    if (decision?.intention) {
      if (!mayHaveChanged) await ledger.save(withdraw(decision.intention));
      // Overtaken half-way: records that the customer removed in that moment must not return as displaced ones.
      else if (removed)
        await ledger.save(confirmLayers(decision.intention, displacementsOf(removed, decision.planned.ours)));
    }
    throw answer.refusal;
  }
  if (decision === undefined) throw new Error('The provider applied a change without reading the zone.');
  const { planned, intention } = decision;
  if (intention === undefined) return { conflicts: planned.plan.conflicts };
  const overtaken = await overtakenHosts(account, target, planned, answer.applied);
  const rows = decision.ledger ?? (await ledger.read());
  await ledger.save(confirm(rows, { planned, intention }, { ...answer.applied, overtaken }, contextOf(target)));
  return { written: planned };
}

async function decideWrite(
  ledger: LedgerStore,
  target: Target,
  current: readonly ZoneRecord[],
): Promise<Deciding<WritePlan>> {
  const { planned, intended } = await saveIntention(ledger, target, current);
  if (intended === undefined)
    return { decision: { planned, intention: undefined, ledger: undefined }, change: undefined };
  const { rows, changes, repeated, added } = intended;
  const isRepeated = (host: string) => repeated.some((layer) => layer.host === host);
  const hosts = planned.plan.displaces.map(({ host }) => host).filter((host) => !isRepeated(host));
  const layers = added.layers.map((id, index) => ({ id, host: hosts[index] ?? '', isNew: true }));
  const values = added.values.filter((id) => id !== null);
  const intention = { values, layers: [...repeated, ...layers] };
  const isKnown = values.length === added.values.length;
  const after = isKnown ? changedLedger(rows, changes, added) : undefined;
  return { decision: { planned, intention, ledger: after }, change: changeOf(planned.plan) };
}

interface Intended extends ReturnType<typeof intend> {
  /** The ledger before the intention. */
  rows: Ledger;
  added: AddedRows;
}

/** Plans, and saves the intention to write. Where the plan has conflicts, nothing is saved. */
async function saveIntention(
  ledger: LedgerStore,
  target: Target,
  current: readonly ZoneRecord[],
): Promise<{ planned: RequestPlan; intended: Intended | undefined }> {
  const { guard, duringCutover } = target;
  if (guard === undefined) {
    const rows = await ledger.read();
    const planned = planFrom(rows, target, current);
    if (planned.plan.conflicts.length > 0) return { planned, intended: undefined };
    if (rows.is_cut_over && duringCutover !== undefined) throw duringCutover();
    const made = intend(rows, planned, contextOf(target));
    return { planned, intended: { ...made, rows, added: await ledger.save(made.changes) } };
  }
  type Result = { planned: RequestPlan; made?: Omit<Intended, 'added'> };
  const { result, added } = await ledger.update<Result>(async (rows, tx) => {
    const planned = planFrom(rows, target, current);
    if (planned.plan.conflicts.length > 0) return { changes: [], result: { planned } };
    await guard(tx, planned);
    const made = intend(rows, planned, contextOf(target));
    return { changes: made.changes, result: { planned, made: { ...made, rows } } };
  });
  return { planned: result.planned, intended: result.made && { ...result.made, added } };
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
