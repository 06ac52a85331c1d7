import type { ConnectionRow } from '../db/connection/connection-row.ts';
import {
  closeDisplaced,
  confirmDisplaced,
  displacedLayers,
  noteDisplaced,
  type DisplacedRow,
  type NotedLayer,
} from '../db/zone/displaced.ts';
import { close, confirm, intend, moveToCredential, ownedValues, type Place } from '../db/zone/ledger.ts';
import type { CredentialRow } from '../db/zone/credentials.ts';
import type { Pool, Tx } from '../db/pool.ts';
import { displacementsOf } from '../domain/zone/displacement.ts';
import { changeOf, decidedMeanwhile, type Conflict } from '../domain/zone/plan.ts';
import { hostsOf, isOneOf, type ZoneChange, type ZoneRecord } from '../domain/zone/zone-record.ts';
import type { Account, Applied } from '../providers/contract.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { ProviderAccess } from './account.ts';
import { planFrom, plannedHosts, type Planned, type PlanRequest } from './plan.ts';

/** A write that was sent may take this long before we stop waiting for its answer. */
const SENT_MS = 4 * 60_000;

/** For whom, with what and where the desired records are written. */
export interface Target extends PlanRequest {
  row: ConnectionRow;
  credential: CredentialRow;
  now: Date;
  /** Ends the reading. What was sent is never aborted: the archive that aborted it could not clean up what lands later. */
  signal: AbortSignal;
  /** Looks once more, in the transaction that notes what we intend, whether it may be written; throws where it may not. */
  guard?(tx: Tx): Promise<void>;
  /** Told once what was planned stands. */
  onWritten?(planned: Planned): void;
}

const openLayers = async (tx: Tx, { row, zone }: Target): Promise<DisplacedRow[]> =>
  (await displacedLayers(tx, row.id)).filter(({ zone_id }) => zone_id === zone.id);

/** What was noted before the provider was called. */
interface Intention {
  rows: string[];
  layers: NotedLayer[];
}

interface Decided {
  planned: Planned;
  intention: Intention;
}

/**
 * Makes the desired records stand: plans from what the provider reads, notes what we intend, writes, and notes what stands
 * and what really had to go. Reading, planning and writing are one call of `apply`, so that a provider that compares what
 * it replaces leaves the zone's owner no moment in between; overtaken, it is planned anew. Answers with the conflicts, and
 * where there is one nothing was written.
 */
export async function applyDesired(
  { pool }: Pick<ProviderAccess, 'pool'>,
  account: Account,
  target: Target,
): Promise<readonly Conflict[]> {
  const state: { conflicts: readonly Conflict[]; decided?: Decided } = { conflicts: [] };
  const withdrawDecided = async () => {
    const { decided } = state;
    delete state.decided;
    if (decided) await pool.transaction((tx) => withdraw(tx, decided.intention));
  };
  const decide = async (current: readonly ZoneRecord[]): Promise<ZoneChange | undefined> => {
    await withdrawDecided();
    target.signal.throwIfAborted();
    const planned = await planFrom(pool, target, current);
    state.conflicts = planned.plan.conflicts;
    if (state.conflicts.length > 0) return undefined;
    state.decided = { planned, intention: await pool.transaction((tx) => noteIntention(tx, target, planned)) };
    return changeOf(planned.plan);
  };
  try {
    const signal = untilDecided(target.signal, () => state.decided !== undefined);
    const applied = await account.apply(target.zone, { hosts: plannedHosts(target), decide }, { signal });
    if (state.decided) {
      await conclude(pool, account, target, state.decided, applied);
      target.onWritten?.(state.decided.planned);
    }
    return state.conflicts;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (!error.mayHaveChanged) await withdrawDecided();
    else if (error.removed && state.decided) await noteRemoved(pool, state.decided, error.removed);
    throw error;
  }
}

/** Aborted by the caller as long as nothing was decided, and by time alone from then on. */
function untilDecided(caller: AbortSignal, isDecided: () => boolean): AbortSignal {
  const reading = new AbortController();
  const onAbort = () => {
    if (!isDecided()) reading.abort(caller.reason);
  };
  if (caller.aborted) onAbort();
  else caller.addEventListener('abort', onAbort, { once: true });
  return AbortSignal.any([reading.signal, AbortSignal.timeout(SENT_MS)]);
}

const placeOf = ({ credential, zone }: Target): Place => ({
  credential_id: credential.id,
  provider: credential.provider,
  zone_id: zone.id,
  zone_name: zone.name,
});

/**
 * Also notes what the zone has told: values of ours that the customer took away are the customer's from now on, even if
 * they set them again by hand, and a name that they pointed elsewhere does not want back what stood there before.
 */
async function noteIntention(tx: Tx, target: Target, { plan, owned }: Planned): Promise<Intention> {
  const { row, purpose, now } = target;
  await target.guard?.(tx);
  const outdated = (await openLayers(tx, target)).filter(({ host }) => plan.decided.includes(host));
  await closeDisplaced(tx, outdated.map(({ id }) => id), 'surrendered'); // prettier-ignore
  const given = plan.surrenders.map(({ record }) => record);
  const gone = owned.filter((value) => value.status === 'standing' && isOneOf(value, given));
  await close(tx, gone.map(({ id }) => id), 'surrendered'); // prettier-ignore
  const at = { purpose, place: placeOf(target), now };
  return {
    rows: await intend(tx, row, at, [...plan.creates.map(({ record }) => record), ...plan.shares]),
    layers: await noteDisplaced(tx, row, at, plan.displaces),
  };
}

/**
 * Where the owner may have been faster than we, the zone is read once more. A provider that does not answer that is no
 * reason to forget what it did before: the names then keep their older layers.
 */
async function checkRisk(
  account: Account,
  { zone, signal }: Target,
  { plan, ours }: Planned,
  { removed }: Applied,
): Promise<string[]> {
  if (plan.atRisk.length === 0) return [];
  const seen = await account.records(zone, plan.atRisk, { signal }).catch(() => []);
  return decidedMeanwhile(plan, { ours, removed, seen });
}

async function conclude(
  pool: Pool,
  account: Account,
  target: Target,
  decided: Decided,
  applied: Applied,
): Promise<void> {
  const overtaken = await checkRisk(account, target, decided.planned, applied);
  await pool.transaction((tx) => settle(tx, target, decided, { ...applied, overtaken }));
}

async function settle(
  tx: Tx,
  target: Target,
  { planned: { plan, current, ours }, intention: { layers } }: Decided,
  applied: Applied & { overtaken: readonly string[] },
): Promise<void> {
  const { row, purpose, zone } = target;
  const everyRow = (await ownedValues(tx, row.id)).filter(({ zone_id }) => zone_id === zone.id);
  const rows = everyRow.filter((value) => value.purpose === purpose);
  const returned = everyRow.filter((value) => !rows.includes(value) && isOneOf(value, plan.restores));
  const gone = rows.filter((value) => isOneOf(value, plan.removals));
  const staying = current.filter((record) => !isOneOf(record, plan.removals));
  await close(tx, gone.map(({ id }) => id), 'removed'); // prettier-ignore
  await close(tx, returned.map(({ id }) => id), 'surrendered'); // prettier-ignore
  await confirm(
    tx,
    rows.filter((value) => !gone.includes(value)),
    [...applied.present, ...staying],
  );
  const displaced = displacementsOf(applied.removed, ours);
  await confirmDisplaced(tx, layers, displaced);
  const open = await openLayers(tx, target);
  const idsAt = (hosts: readonly string[]) => open.filter(({ host }) => hosts.includes(host)).map(({ id }) => id);
  const fresh = layers.filter((layer) => displaced.some(({ host }) => host === layer.host)).map(({ id }) => id);
  const older = idsAt(applied.overtaken).filter((id) => !fresh.includes(id));
  await closeDisplaced(tx, older, 'surrendered');
  await closeDisplaced(tx, idsAt(hostsOf(plan.restores)), 'restored');
  await moveToCredential(tx, row.id, purpose, placeOf(target));
}

/** Overtaken half-way: what the customer took away in that moment must not return as something that we displaced. */
const noteRemoved = (
  pool: Pool,
  { planned: { ours }, intention: { layers } }: Decided,
  removed: readonly ZoneRecord[],
): Promise<void> => pool.transaction((tx) => confirmDisplaced(tx, layers, displacementsOf(removed, ours)));

/** The write surely did not happen, so nothing like it that appears in the zone later is ours. */
async function withdraw(tx: Tx, { rows, layers }: Intention): Promise<void> {
  await close(tx, rows, 'withdrawn');
  await closeDisplaced(tx, layers.filter(({ isNew }) => isNew).map(({ id }) => id), 'withdrawn'); // prettier-ignore
}
