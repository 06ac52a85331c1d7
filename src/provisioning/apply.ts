import type { ConnectionRow } from '../db/connection-row.ts';
import {
  closeDisplaced,
  confirmDisplaced,
  displacedLayers,
  noteDisplaced,
  type DisplacedRow,
  type NotedLayer,
} from '../db/displaced.ts';
import { close, confirm, intend, moveToCredential, ownedValues, type Place } from '../db/ledger.ts';
import type { CredentialRow } from '../db/credentials.ts';
import type { Tx } from '../db/pool.ts';
import { displacementsOf } from '../domain/displacement.ts';
import { changeOf, decidedMeanwhile, type Purpose } from '../domain/plan.ts';
import { hostsOf, isOneOf } from '../domain/zone-record.ts';
import type { Account, Applied, Zone } from '../providers/contract.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { ProviderAccess } from './account.ts';
import type { Planned } from './plan.ts';

/** A write that was sent may take this long before we stop waiting for its answer. */
const SENT_MS = 4 * 60_000;

/** For whom, with what and where a plan is carried out. */
export interface Target {
  row: ConnectionRow;
  credential: CredentialRow;
  zone: Zone;
  purpose: Purpose;
  now: Date;
  signal: AbortSignal;
}

const openLayers = async (tx: Tx, { row, zone }: Target): Promise<DisplacedRow[]> =>
  (await displacedLayers(tx, row.id)).filter(({ zone_id }) => zone_id === zone.id);

/** What was noted before the provider was called. */
interface Intention {
  rows: string[];
  layers: NotedLayer[];
}

/**
 * Carries out a plan: notes what we intend, applies it, notes what stands and what really had to go. An abort is heeded
 * before the write is sent and never after: the archive that aborted it could not clean up what lands later.
 */
export async function applyPlan(
  { pool }: Pick<ProviderAccess, 'pool'>,
  account: Account,
  target: Target,
  planned: Planned,
): Promise<void> {
  target.signal.throwIfAborted();
  const intention = await pool.transaction((tx) => noteIntention(tx, target, planned));
  try {
    const change = changeOf(planned.plan);
    const applied = await account.apply(target.zone, change, { signal: AbortSignal.timeout(SENT_MS) });
    const decided = await lookAtRisk(account, target, planned, applied);
    await pool.transaction((tx) => settle(tx, target, planned, intention, { ...applied, decided }));
  } catch (error) {
    if (error instanceof ProviderError && !error.mayHaveChanged)
      await pool.transaction((tx) => withdraw(tx, intention));
    throw error;
  }
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
async function lookAtRisk(
  account: Account,
  { zone, signal }: Target,
  { plan, ours }: Planned,
  { removed }: Applied,
): Promise<string[]> {
  if (plan.atRisk.length === 0) return [];
  const seen = await account.records(zone, plan.atRisk, { signal }).catch(() => []);
  return decidedMeanwhile(plan, { ours, removed, seen });
}

async function settle(
  tx: Tx,
  target: Target,
  { plan, current, ours }: Planned,
  { layers }: Intention,
  applied: Applied & { decided: readonly string[] },
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
    [...applied.standing, ...staying],
  );
  const displaced = displacementsOf(applied.removed, ours);
  await confirmDisplaced(tx, layers, displaced);
  const open = await openLayers(tx, target);
  const idsAt = (hosts: readonly string[]) => open.filter(({ host }) => hosts.includes(host)).map(({ id }) => id);
  const fresh = layers.filter((layer) => displaced.some(({ host }) => host === layer.host)).map(({ id }) => id);
  const older = idsAt(applied.decided).filter((id) => !fresh.includes(id));
  await closeDisplaced(tx, older, 'surrendered');
  await closeDisplaced(tx, idsAt(hostsOf(plan.restores)), 'restored');
  await moveToCredential(tx, row.id, purpose, placeOf(target));
}

/** The write surely did not happen, so nothing like it that appears in the zone later is ours. */
async function withdraw(tx: Tx, { rows, layers }: Intention): Promise<void> {
  await close(tx, rows, 'withdrawn');
  await closeDisplaced(tx, layers.filter(({ isNew }) => isNew).map(({ id }) => id), 'withdrawn'); // prettier-ignore
}
