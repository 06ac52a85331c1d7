import { getConnection } from '../db/connection/connections.ts';
import { coveringCredential, getCredential, type CredentialRow } from '../db/zone/credentials.ts';
import { findSuccessor, ledgerOf, type LedgerStore } from '../db/zone/ledger.ts';
import { currentRecords } from '../domain/connection/edge-addresses.ts';
import { surrender, undo, writtenZones, type Undone, type WrittenZone } from '../domain/zone/ledger.ts';
import type { Location } from '../domain/zone/ledger-rows.ts';
import type { Purpose } from '../domain/zone/plan.ts';
import { hostsOf } from '../domain/zone/zone-record.ts';
import type { Account, Zone } from '../providers/contract.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { openAccount, type ProviderAccess } from './account.ts';
import { asProviderError } from './deadline.ts';
import { decidedApply } from './decided-apply.ts';

export type RemoveOutcome =
  | { outcome: 'removed'; values: number }
  | { outcome: 'impossible'; sentence: string }
  | { outcome: 'later'; sentence: string; retryAfterMs: number };

export interface RemoveOptions {
  now: Date;
  signal: AbortSignal;
  purpose?: Purpose;
}

const RETRY_MS = 60_000;
/** Time until the next check for a write whose answer was lost. */
const ARRIVAL_CHECK_MS = 15_000;

/** Leaves the customer's zones as they were before we wrote for this purpose. The zone itself decides. */
export async function removeWritten(
  providerAccess: ProviderAccess,
  connectionId: string,
  options: RemoveOptions,
): Promise<RemoveOutcome> {
  const { pool, edge } = providerAccess;
  const connection = await getConnection(pool, connectionId);
  if (connection === null) return { outcome: 'removed', values: 0 };
  const { purpose = 'connection' } = options;
  const ledger = ledgerOf(pool, connection);
  const { result: zones } = await ledger.update(async (rows, tx) => {
    const found = await findSuccessor(tx, connectionId);
    const successor = found && { ...found, desired_records: currentRecords(found.desired_records, edge) };
    const { changes, remaining } = surrender(rows, purpose, successor);
    return { changes, result: writtenZones(remaining, purpose) };
  });
  const outcomes: RemoveOutcome[] = [];
  for (const zone of zones)
    outcomes.push(await removeWithCredentials(providerAccess, connection, ledger, zone, options));
  return gravest(outcomes);
}

/** Removes the records of several purposes. One that cannot be removed does not keep us from the others. */
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

/** Returns the outcome of several removals: one that must be retried comes before one that is impossible. */
const gravest = (outcomes: readonly RemoveOutcome[]): RemoveOutcome =>
  outcomes.find(({ outcome }) => outcome === 'later') ??
  outcomes.find(({ outcome }) => outcome === 'impossible') ?? {
    outcome: 'removed',
    values: outcomes.reduce((sum, one) => sum + (one.outcome === 'removed' ? one.values : 0), 0),
  };

/** Removes our records from one zone, with the first credential that the provider accepts. */
async function removeWithCredentials(
  providerAccess: ProviderAccess,
  connection: { application_id: string },
  ledger: LedgerStore,
  written: WrittenZone,
  options: RemoveOptions,
): Promise<RemoveOutcome> {
  const { location } = written;
  const where = hostsOf([...written.values, ...written.layers]).join(', ');
  let last: RemoveOutcome = {
    outcome: 'impossible',
    sentence: `The credential that wrote ${where} was deleted; remove our records manually.`,
  };
  for (const credential of await credentialsFor(providerAccess, connection, location)) {
    try {
      const account = openAccount(providerAccess, credential);
      const zone = await zoneOf(account, credential, location, options.signal);
      if (zone) return await removeFromZone(ledger, account, zone, written, options);
      last = {
        outcome: 'impossible',
        sentence: `The ${location.provider} account no longer has the zone ${location.zone_name}.`,
      };
    } catch (thrown) {
      const error = asProviderError(thrown, location.provider);
      if (!(error instanceof ProviderError)) throw error;
      last = outcomeOf(error);
      if (error.code !== 'auth_failed' && error.code !== 'forbidden_scope') return last;
    }
  }
  return last;
}

function outcomeOf(error: ProviderError): RemoveOutcome {
  if (!error.retryable) return { outcome: 'impossible', sentence: error.message };
  const retryAfterMs = (error.retryAfterSeconds ?? 0) * 1_000 || RETRY_MS;
  return { outcome: 'later', sentence: error.message, retryAfterMs };
}

/** Returns the zone that was written, which need not be the closest one now: a sub-zone may have been created since. */
async function zoneOf(
  account: Account,
  credential: CredentialRow,
  { zone_id, zone_name, credential_id }: Location,
  signal: AbortSignal,
): Promise<Zone | undefined> {
  const zone = await account.findZone(zone_name, { signal });
  if (zone?.name !== zone_name) return undefined;
  return credential.id === credential_id || zone.id === zone_id ? zone : undefined;
}

/** Removes our records from one zone: reads it, decides what to undo, and saves the provider's answer. */
export async function removeFromZone(
  ledger: LedgerStore,
  account: Account,
  zone: Zone,
  written: WrittenZone,
  { now, signal }: Pick<RemoveOptions, 'now' | 'signal'>,
): Promise<RemoveOutcome> {
  const hosts = hostsOf([...written.values, ...written.layers]);
  const answer = await decidedApply<Undone>(account, { zone, hosts, signal }, (current) => {
    const decision = undo(written, current, now);
    const { add, remove } = decision.change;
    return Promise.resolve({ decision, change: add.length + remove.length > 0 ? decision.change : undefined });
  });
  if ('refusal' in answer) throw answer.refusal;
  const { changes, awaited } = answer.decision ?? undo(written, [], now);
  await ledger.save(changes);
  if (awaited === undefined) return { outcome: 'removed', values: written.values.length };
  const sentence = `A write of ${awaited.type} ${awaited.host} was not answered and may still arrive in the zone.`;
  return { outcome: 'later', sentence, retryAfterMs: ARRIVAL_CHECK_MS };
}

/** Returns the credential that wrote, then the one that replaced it. An invalid one comes last. */
async function credentialsFor(
  { pool }: ProviderAccess,
  { application_id }: { application_id: string },
  { credential_id, provider, zone_name }: Location,
): Promise<CredentialRow[]> {
  const own = await getCredential(pool, credential_id);
  const successor = await coveringCredential(pool, application_id, zone_name);
  const other = successor?.provider === provider && successor.id !== own?.id ? successor : null;
  const inOrder = own?.status === 'invalid' ? [other, own] : [own, other];
  return inOrder.filter((credential) => credential !== null);
}
