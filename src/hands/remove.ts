import { getCredential } from '../db/credentials.ts';
import { asWritten, close, ownedValues, type LedgerRow } from '../db/ledger.ts';
import { among } from '../domain/zone-record.ts';
import { undo } from '../domain/undo.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { openAccount, type Desk } from './account.ts';

export type RemoveOutcome =
  | { outcome: 'removed'; values: number }
  | { outcome: 'impossible'; sentence: string }
  | { outcome: 'later'; sentence: string; retryAfterMs: number };

const LATER_MS = 60_000;

/**
 * Leaves the customer's zones as they were before we came. It asks the zone, not our memory, what is there: values that
 * the customer has changed since are theirs and stay, and a write whose answer was lost is found.
 */
export async function removeWritten(desk: Desk, connectionId: string, signal: AbortSignal): Promise<RemoveOutcome> {
  const owned = await ownedValues(desk.pool, connectionId);
  const places = Map.groupBy(owned, (row) => `${row.credential_id} ${row.zone_id}`);
  for (const rows of places.values()) {
    try {
      const problem = await removeFromZone(desk, rows, signal);
      if (problem !== undefined) return { outcome: 'impossible', sentence: problem };
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
  return { outcome: 'removed', values: owned.length };
}

async function removeFromZone(desk: Desk, rows: LedgerRow[], signal: AbortSignal): Promise<string | undefined> {
  const [first] = rows;
  if (!first) return undefined;
  const credential = await getCredential(desk.pool, first.credential_id);
  if (credential === null) return `The credential that wrote ${first.host} was deleted; remove our records by hand.`;
  const account = openAccount(desk, credential);
  const zone = await account.findZone(first.host, { signal });
  if (!zone) return `The ${first.provider} account no longer has the zone ${first.zone_name}.`;
  const current = await account.records(zone, [...new Set(rows.map(({ host }) => host))], { signal });
  const { change, surrendered } = undo(current, rows.map(asWritten));
  if (change.add.length + change.remove.length > 0) await account.apply(zone, change, { signal });
  const theirs = rows.filter((row) =>
    among(
      row,
      surrendered.map(({ record }) => record),
    ),
  );
  await desk.pool.transaction(async (tx) => {
    await close(tx, theirs.map(({ id }) => id), 'surrendered'); // prettier-ignore
    await close(tx, rows.filter((row) => !theirs.includes(row)).map(({ id }) => id), 'removed'); // prettier-ignore
  });
  return undefined;
}
