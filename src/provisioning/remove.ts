import { getConnection } from '../db/connections.ts';
import { coveringCredential, getCredential, type CredentialRow } from '../db/credentials.ts';
import { asWritten, close, findSuccessor, ownedValues, transferTo, type LedgerRow } from '../db/ledger.ts';
import type { Tx } from '../db/pool.ts';
import { isOneOf } from '../domain/zone-record.ts';
import { undo } from '../domain/undo.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { openAccount, type ProviderAccess } from './account.ts';

export type RemoveOutcome =
  | { outcome: 'removed'; values: number }
  | { outcome: 'impossible'; sentence: string }
  | { outcome: 'later'; sentence: string; retryAfterMs: number };

const LATER_MS = 60_000;

/**
 * Leaves the customer's zones as they were before we came. It asks the zone, not our memory, what is there: values that
 * the customer has changed since are theirs and stay, and a write whose answer was lost is found.
 */
export async function removeWritten(
  providerAccess: ProviderAccess,
  connectionId: string,
  signal: AbortSignal,
): Promise<RemoveOutcome> {
  const owned = await providerAccess.pool.transaction((tx) => ownedAlone(tx, connectionId));
  const places = Map.groupBy(owned, (row) => `${row.credential_id} ${row.zone_id}`);
  const outcomes: RemoveOutcome[] = [];
  for (const rows of places.values()) outcomes.push(await removeFromPlace(providerAccess, connectionId, rows, signal));
  return (
    outcomes.find(({ outcome }) => outcome === 'later') ??
    outcomes.find(({ outcome }) => outcome === 'impossible') ?? { outcome: 'removed', values: owned.length }
  );
}

/**
 * What only this connection wants. Whoever connects the name anew finds our values standing and writes nothing, so what
 * the new connection wants outlives the old one: the application's own takes it over, to anybody else's it is left.
 */
async function ownedAlone(tx: Tx, connectionId: string): Promise<readonly LedgerRow[]> {
  const owned = await ownedValues(tx, connectionId);
  const heir = owned.length === 0 ? null : await findSuccessor(tx, connectionId);
  if (heir === null) return owned;
  const inherited = owned.filter((row) => isOneOf(row, heir.desired_records));
  const theirs = await ownedValues(tx, heir.id);
  const passed = heir.is_own ? inherited.filter((row) => !isOneOf(row, theirs)) : [];
  await transferTo(tx, passed.map(({ id }) => id), heir); // prettier-ignore
  await close(tx, inherited.filter((row) => !passed.includes(row)).map(({ id }) => id), 'surrendered'); // prettier-ignore
  return owned.filter((row) => !inherited.includes(row));
}

/** One place that cannot be cleaned must not keep us from the others. */
async function removeFromPlace(
  providerAccess: ProviderAccess,
  connectionId: string,
  rows: LedgerRow[],
  signal: AbortSignal,
): Promise<RemoveOutcome> {
  try {
    const problem = await removeFromZone(providerAccess, connectionId, rows, signal);
    return problem === undefined
      ? { outcome: 'removed', values: rows.length }
      : { outcome: 'impossible', sentence: problem };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (!error.retryable) return { outcome: 'impossible', sentence: error.message };
    return {
      outcome: 'later',
      sentence: error.message,
      retryAfterMs: (error.retryAfterSeconds ?? 0) * 1_000 || LATER_MS,
    };
  }
}

async function removeFromZone(
  providerAccess: ProviderAccess,
  connectionId: string,
  rows: LedgerRow[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const [first] = rows;
  if (!first) return undefined;
  const credential = await credentialFor(providerAccess, connectionId, first);
  if (credential === null) return `The credential that wrote ${first.host} was deleted; remove our records by hand.`;
  const account = openAccount(providerAccess, credential);
  const zone = await account.findZone(first.host, { signal });
  const isWhereWeWrote = credential.id === first.credential_id || zone?.id === first.zone_id;
  if (!zone || !isWhereWeWrote) return `The ${first.provider} account no longer has the zone ${first.zone_name}.`;
  const current = await account.records(zone, [...new Set(rows.map(({ host }) => host))], { signal });
  const { change, surrendered } = undo(current, rows.map(asWritten));
  if (change.add.length + change.remove.length > 0) await account.apply(zone, change, { signal });
  const theirs = rows.filter((row) =>
    isOneOf(
      row,
      surrendered.map(({ record }) => record),
    ),
  );
  await providerAccess.pool.transaction(async (tx) => {
    await close(tx, theirs.map(({ id }) => id), 'surrendered'); // prettier-ignore
    await close(tx, rows.filter((row) => !theirs.includes(row)).map(({ id }) => id), 'removed'); // prettier-ignore
  });
  return undefined;
}

/** The credential that wrote, or, where that one is gone or no longer works, the one that took its place. */
async function credentialFor(
  providerAccess: ProviderAccess,
  connectionId: string,
  written: LedgerRow,
): Promise<CredentialRow | null> {
  const own = await getCredential(providerAccess.pool, written.credential_id);
  if (own !== null && own.status !== 'invalid') return own;
  const connection = await getConnection(providerAccess.pool, connectionId);
  const heir = connection && (await coveringCredential(providerAccess.pool, connection.application_id, written.host));
  return heir?.provider === written.provider ? heir : own;
}
