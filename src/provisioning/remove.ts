import { getConnection } from '../db/connection/connections.ts';
import { coveringCredential, getCredential, type CredentialRow } from '../db/zone/credentials.ts';
import { closeDisplaced, displacedLayers, transferDisplaced, type DisplacedRow } from '../db/zone/displaced.ts';
import {
  asWritten,
  close,
  findSuccessor,
  ownedValues,
  transferTo,
  type LedgerRow,
  type Place,
} from '../db/zone/ledger.ts';
import type { Tx } from '../db/pool.ts';
import type { Purpose } from '../domain/zone/plan.ts';
import { undo } from '../domain/zone/undo.ts';
import { hostsOf, isOneOf, isPointer, type ZoneRecord } from '../domain/zone/zone-record.ts';
import type { Account, Zone } from '../providers/contract.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { openAccount, type ProviderAccess } from './account.ts';
import { asProviderError } from './deadline.ts';

export type RemoveOutcome =
  | { outcome: 'removed'; values: number }
  | { outcome: 'impossible'; sentence: string }
  | { outcome: 'later'; sentence: string; retryAfterMs: number };

export interface RemoveOptions {
  now: Date;
  signal: AbortSignal;
  purpose?: Purpose;
}

const LATER_MS = 60_000;
/** For so long after it was sent, a write whose outcome is not known may still arrive in the zone. */
const LANDING_MS = 2 * 60_000;
const LOOK_AGAIN_MS = 15_000;

/** What the ledger holds of one zone, as far as one credential wrote it. */
interface WrittenZone {
  place: Place;
  /** Ours to remove. */
  rows: readonly LedgerRow[];
  /** What we displaced at those names, oldest first, whichever purpose it was for. */
  layers: readonly DisplacedRow[];
  /** What else we wrote at those names, for another purpose or with another credential: it stays for now. */
  reserved: readonly LedgerRow[];
}

/**
 * Leaves the customer's zones as they were before we wrote for this purpose. It asks the zone, not our memory, what is
 * there: values that the customer has changed since are theirs and stay, and a write whose answer was lost is found.
 */
export async function removeWritten(
  providerAccess: ProviderAccess,
  connectionId: string,
  options: RemoveOptions,
): Promise<RemoveOutcome> {
  const { purpose = 'connection' } = options;
  const places = await providerAccess.pool.transaction((tx) => writtenAlone(tx, connectionId, purpose));
  const outcomes: RemoveOutcome[] = [];
  for (const place of places) outcomes.push(await removeFromPlace(providerAccess, connectionId, place, options));
  return gravest(outcomes);
}

/** The same for several purposes, one after the other: one that cannot be undone must not keep us from the others. */
export async function removeAll(
  providerAccess: ProviderAccess,
  connectionId: string,
  purposes: readonly Purpose[],
  options: Omit<RemoveOptions, 'purpose'>,
): Promise<RemoveOutcome> {
  const outcomes: RemoveOutcome[] = [];
  for (const purpose of purposes)
    outcomes.push(await removeWritten(providerAccess, connectionId, { ...options, purpose }));
  return gravest(outcomes);
}

/** What has to be tried again comes before what cannot be helped. */
const gravest = (outcomes: readonly RemoveOutcome[]): RemoveOutcome =>
  outcomes.find(({ outcome }) => outcome === 'later') ??
  outcomes.find(({ outcome }) => outcome === 'impossible') ?? {
    outcome: 'removed',
    values: outcomes.reduce((sum, one) => sum + (one.outcome === 'removed' ? one.values : 0), 0),
  };

/**
 * What only this connection wants, zone by zone. A new connection of the same name finds our values standing and writes
 * nothing, so what it wants outlives the old one: a connection of the same application takes it over, to one of another
 * application it is left.
 */
async function writtenAlone(tx: Tx, connectionId: string, purpose: Purpose): Promise<WrittenZone[]> {
  const ledger = await ownedValues(tx, connectionId);
  let rows = ledger.filter((row) => row.purpose === purpose);
  let layers = await displacedLayers(tx, connectionId);
  const successor = rows.length === 0 ? null : await findSuccessor(tx, connectionId);
  if (successor !== null) {
    const inherited = rows.filter((row) => isOneOf(row, successor.desired_records));
    const theirs = await ownedValues(tx, successor.id);
    const passed = successor.is_own ? inherited.filter((row) => !isOneOf(row, theirs)) : [];
    await transferTo(tx, passed.map(({ id }) => id), successor); // prettier-ignore
    await close(tx, inherited.filter((row) => !passed.includes(row)).map(({ id }) => id), 'surrendered'); // prettier-ignore
    const pointed = hostsOf(inherited.filter(isPointer));
    const covered = layers.filter(({ host }) => pointed.includes(host)).map(({ id }) => id);
    await (successor.is_own ? transferDisplaced(tx, covered, successor) : closeDisplaced(tx, covered, 'surrendered'));
    rows = rows.filter((row) => !inherited.includes(row));
    layers = layers.filter(({ id }) => !covered.includes(id));
  }
  const keyOf = ({ credential_id, zone_id }: Place) => `${credential_id} ${zone_id}`;
  const ours = [...rows, ...layers.filter((layer) => layer.purpose === purpose)];
  return [...Map.groupBy(ours, keyOf).values()].flatMap((group) => {
    const [place] = group;
    if (place === undefined) return [];
    const isHere = ({ zone_id, host }: { zone_id: string; host: string }) =>
      zone_id === place.zone_id && hostsOf(group).includes(host);
    const written = rows.filter((row) => keyOf(row) === keyOf(place));
    return {
      place,
      rows: written,
      layers: layers.filter(isHere),
      reserved: ledger.filter((row) => isHere(row) && !written.includes(row)),
    };
  });
}

/** One place that cannot be cleaned must not keep us from the others. */
async function removeFromPlace(
  providerAccess: ProviderAccess,
  connectionId: string,
  written: WrittenZone,
  options: RemoveOptions,
): Promise<RemoveOutcome> {
  const { place } = written;
  const where = hostsOf([...written.rows, ...written.layers]).join(', ');
  let last: RemoveOutcome = {
    outcome: 'impossible',
    sentence: `The credential that wrote ${where} was deleted; remove our records by hand.`,
  };
  for (const credential of await credentialsFor(providerAccess, connectionId, place)) {
    try {
      const account = openAccount(providerAccess, credential);
      const zone = await zoneOf(account, credential, place, options.signal);
      if (zone) return await removeFromZone(providerAccess, account, zone, written, options);
      last = {
        outcome: 'impossible',
        sentence: `The ${place.provider} account no longer has the zone ${place.zone_name}.`,
      };
    } catch (thrown) {
      const error = asProviderError(thrown, place.provider);
      if (!(error instanceof ProviderError)) throw error;
      last = outcomeOf(error);
      if (error.code !== 'auth_failed' && error.code !== 'forbidden_scope') return last;
    }
  }
  return last;
}

function outcomeOf(error: ProviderError): RemoveOutcome {
  if (!error.retryable) return { outcome: 'impossible', sentence: error.message };
  const retryAfterMs = (error.retryAfterSeconds ?? 0) * 1_000 || LATER_MS;
  return { outcome: 'later', sentence: error.message, retryAfterMs };
}

/** The zone that was written, and not the one nearest to the name now: a sub-zone may have been made since. */
async function zoneOf(
  account: Account,
  credential: CredentialRow,
  place: Place,
  signal: AbortSignal,
): Promise<Zone | undefined> {
  const zone = await account.findZone(place.zone_name, { signal });
  if (zone?.name !== place.zone_name) return undefined;
  return credential.id === place.credential_id || zone.id === place.zone_id ? zone : undefined;
}

/** Reads, decides and writes in one call of `apply`, so that nothing the owner does in between is decided upon unseen. */
async function undoIn(
  account: Account,
  zone: Zone,
  { rows, layers, reserved }: Omit<WrittenZone, 'place'>,
  { now, signal }: RemoveOptions,
) {
  const isLanding = (row: LedgerRow, current: readonly ZoneRecord[]) =>
    row.status === 'intended' && !isOneOf(row, current) && now.getTime() - row.at.getTime() < LANDING_MS;
  const decideFrom = (current: readonly ZoneRecord[]) => ({
    ...undo(current, rows.map(asWritten), { displaced: layers, reserved }),
    landing: rows.filter((row) => isLanding(row, current)),
  });
  let decided = decideFrom([]);
  const hosts = hostsOf([...rows, ...layers]);
  await account.apply(
    zone,
    {
      hosts,
      decide(current) {
        decided = decideFrom(current);
        const { add, remove } = decided.change;
        return add.length + remove.length > 0 ? decided.change : undefined;
      },
    },
    { signal },
  );
  return decided;
}

async function removeFromZone(
  { pool }: ProviderAccess,
  account: Account,
  zone: Zone,
  { rows, layers, reserved }: WrittenZone,
  options: RemoveOptions,
): Promise<RemoveOutcome> {
  const { landing, change, surrendered, left } = await undoIn(account, zone, { rows, layers, reserved }, options);

  const given = surrendered.map(({ record }) => record);
  const theirs = [
    ...rows.filter((row) => isOneOf(row, given) && !landing.includes(row)),
    ...reserved.filter((row) => isOneOf(row, change.add)), // what returns is the customer's, also where we had written the same
  ];
  const removed = rows.filter((row) => !isOneOf(row, given));
  const waiting = [...left, ...hostsOf(landing)];
  const settled = layers.filter(({ host }) => !waiting.includes(host));
  const restored = settled.filter(({ host }) => change.add.some((record) => record.host === host));
  await pool.transaction(async (tx) => {
    await close(tx, theirs.map(({ id }) => id), 'surrendered'); // prettier-ignore
    await close(tx, removed.map(({ id }) => id), 'removed'); // prettier-ignore
    await closeDisplaced(tx, restored.map(({ id }) => id), 'restored'); // prettier-ignore
    await closeDisplaced(tx, settled.filter((layer) => !restored.includes(layer)).map(({ id }) => id), 'surrendered'); // prettier-ignore
  });
  const [awaited] = landing;
  if (awaited === undefined) return { outcome: 'removed', values: rows.length };
  const sentence = `A write of ${awaited.type} ${awaited.host} was not answered and may still arrive in the zone.`;
  return { outcome: 'later', sentence, retryAfterMs: LOOK_AGAIN_MS };
}

/** The credential that wrote, and then the one that took its place, should the first be gone or refused. */
async function credentialsFor(
  { pool }: ProviderAccess,
  connectionId: string,
  { credential_id, provider, zone_name }: Place,
): Promise<CredentialRow[]> {
  const own = await getCredential(pool, credential_id);
  const connection = await getConnection(pool, connectionId);
  const successor = connection && (await coveringCredential(pool, connection.application_id, zone_name));
  const other = successor?.provider === provider && successor.id !== own?.id ? successor : null;
  const inOrder = own?.status === 'invalid' ? [other, own] : [own, other];
  return inOrder.filter((credential) => credential !== null);
}
