import { coveringCredential, noteHealth, type CredentialRow } from '../db/credentials.ts';
import type { ConnectionRow } from '../db/connection-row.ts';
import { asWritten, close, confirm, inherit, intend, ownedValues, type Place } from '../db/ledger.ts';
import type { ConnectionError } from '../domain/connection.ts';
import type { Finding } from '../domain/finding.ts';
import { changeOf, plan, type Conflict, type ConflictPolicy, type Plan } from '../domain/plan.ts';
import type { DnsRecord } from '../domain/record.ts';
import { isOneOf } from '../domain/zone-record.ts';
import type { Account, Zone } from '../providers/contract.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { openAccount, type ProviderAccess } from './account.ts';

export type WriteOutcome =
  | { outcome: 'written' }
  /** No credential of the application covers the name. */
  | { outcome: 'not_ours' }
  /** Trying again would end the same way until somebody acts. */
  | { outcome: 'refused'; errorCode: ConnectionError; sentence: string; findings: Finding[]; credentialId: string }
  | { outcome: 'later'; sentence: string; retryAfterMs: number };

export interface WriteOptions {
  policy: ConflictPolicy;
  now: Date;
  signal: AbortSignal;
}

const LATER_MS = 30_000;

/**
 * Makes the records stand in the customer's zone: read, plan, note what we intend, apply, note what stands. Called again
 * it finds its own values and writes nothing. A conflict writes nothing at all: half a setup helps nobody.
 */
export async function writeRecords(
  providerAccess: ProviderAccess,
  row: ConnectionRow,
  records: DnsRecord[],
  options: WriteOptions,
): Promise<WriteOutcome> {
  const credential = await coveringCredential(providerAccess.pool, row.application_id, row.hostname);
  if (credential === null) return { outcome: 'not_ours' };
  try {
    const account = openAccount(providerAccess, credential);
    const zone = await account.findZone(row.hostname, { signal: options.signal });
    if (!zone)
      return refused(
        credential,
        'credential_missing_zone',
        `The ${credential.provider} account has no zone for ${row.hostname}.`,
      );
    const made = await planFor(providerAccess, account, zone, row, records, options);
    if (made.conflicts.length > 0) return conflicted(credential, made.conflicts);
    await apply(providerAccess, account, zone, row, made, credential, options);
    return { outcome: 'written' };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return outcomeOf(providerAccess, credential, error);
  }
}

/** What would happen, from the zone as it is now. Owned values elsewhere stay out of it: they are another plan's. */
export async function planFor(
  providerAccess: ProviderAccess,
  account: Account,
  zone: Zone,
  row: ConnectionRow,
  records: DnsRecord[],
  { policy, signal }: Pick<WriteOptions, 'policy' | 'signal'>,
): Promise<Plan> {
  const hosts = [...new Set(records.map(({ host }) => host))];
  const owned = (await ownedValues(providerAccess.pool, row.id))
    .filter(({ host }) => hosts.includes(host))
    .map(asWritten);
  const current = await account.records(zone, hosts, { signal });
  return plan({ current, desired: records, owned, policy });
}

async function apply(
  providerAccess: ProviderAccess,
  account: Account,
  zone: Zone,
  row: ConnectionRow,
  made: Plan,
  credential: CredentialRow,
  { now, signal }: WriteOptions,
): Promise<void> {
  const place: Place = {
    credential_id: credential.id,
    provider: credential.provider,
    zone_id: zone.id,
    zone_name: zone.name,
  };
  await providerAccess.pool.transaction(async (tx) => {
    await intend(tx, row, place, made.creates, now);
    await inherit(tx, row.id, made.inherits);
  });
  const { standing } = await account.apply(zone, changeOf(made), { signal });
  await providerAccess.pool.transaction(async (tx) => {
    await confirm(tx, row.id, standing);
    const owned = await ownedValues(tx, row.id);
    const gone = owned.filter((value) => isOneOf(value, made.removals));
    if (gone.length > 0) await close(tx, gone.map(({ id }) => id), 'removed'); // prettier-ignore
  });
}

/** Whose fault it is decides what happens next: a credential that no longer works is marked, so that nobody tries it again. */
async function outcomeOf(
  providerAccess: ProviderAccess,
  credential: CredentialRow,
  error: ProviderError,
): Promise<WriteOutcome> {
  if (error.retryable)
    return {
      outcome: 'later',
      sentence: error.message,
      retryAfterMs: (error.retryAfterSeconds ?? 0) * 1_000 || LATER_MS,
    };
  if (error.code === 'auth_failed' || error.code === 'forbidden_scope') {
    await noteHealth(providerAccess.pool, credential.id, { status: 'invalid', reason: error.message, zones: null });
    return refused(credential, 'credential_invalid', error.message);
  }
  if (error.code === 'conflict') return refused(credential, 'record_conflict', error.message);
  if (error.code === 'zone_not_found') return refused(credential, 'credential_missing_zone', error.message);
  return refused(credential, 'dns_write_failed', error.message);
}

const FIX: Partial<Record<ConnectionError, string>> = {
  credential_invalid: 'Give the application a new credential for this DNS provider, or add the records by hand.',
  credential_missing_zone: 'Use a credential of the account that holds the zone, or add the records by hand.',
};

function refused(
  credential: CredentialRow,
  errorCode: 'credential_invalid' | 'credential_missing_zone' | 'record_conflict' | 'dns_write_failed',
  sentence: string,
): WriteOutcome {
  const finding: Finding = {
    code: errorCode,
    severity: 'error',
    message: sentence,
    fix: FIX[errorCode] ?? 'Add the records by hand.',
  };
  return { outcome: 'refused', errorCode, sentence, findings: [finding], credentialId: credential.id };
}

function conflicted(credential: CredentialRow, conflicts: readonly Conflict[]): WriteOutcome {
  const findings = conflicts.map(({ wanted, found }): Finding => {
    const standing = found.map(({ type, value }) => `${type} ${value}`).join(', ');
    return {
      code: 'record_conflict',
      severity: 'error',
      message: `${wanted.host} already has ${standing}; we never overwrite what we did not write.`,
      fix: `Replace it by ${wanted.type} ${wanted.value}, or set conflict_policy to "replace".`,
      record: wanted,
    };
  });
  return {
    outcome: 'refused',
    errorCode: 'record_conflict',
    sentence: findings[0]?.message ?? 'Records conflict.',
    findings,
    credentialId: credential.id,
  };
}
