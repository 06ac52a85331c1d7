import { coveringCredential, recordHealth, refuseZone, type CoveringCredential } from '../db/zone/credentials.ts';
import { ledgerOf } from '../db/zone/ledger.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { baseOf } from '../domain/certificate/dns-validation.ts';
import { delegatedElsewhere } from '../domain/observation/delegation.ts';
import type { ConflictPolicy, Purpose } from '../domain/zone/plan.ts';
import type { DnsRecord } from '../domain/record.ts';
import { conflictingWrite, refusedWrite, type WriteOutcome } from '../domain/zone/write-outcome.ts';
import type { Account, Zone } from '../providers/contract.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { longestZone } from '../providers/toolkit/zone-walk.ts';
import { openAccount, type ProviderAccess } from './account.ts';
import { applyDesired, type Target } from './apply.ts';
import { asProviderError } from './deadline.ts';
import type { RequestPlan } from './plan.ts';
import { keepWildcardAnswers } from './wildcard.ts';

export interface WriteOptions extends Pick<Target, 'hosts' | 'keeps' | 'leavesOut' | 'guard' | 'duringCutover'> {
  /** Default: the policy of the application. */
  policy?: ConflictPolicy;
  /** The credential that covers the name, if the caller has just read it. */
  known?: CoveringCredential | undefined;
  now: Date;
  /** Ends the reading. A write that was sent is never aborted: the clean-up could not find what arrives later. */
  signal: AbortSignal;
  purpose?: Purpose;
  /** The name whose zone is written. Default: the connection's hostname. */
  at?: string;
}

/** The outcome of a write. One that succeeded comes with its plan. */
export type ZoneWrite = WriteOutcome &
  ({ outcome: 'written'; planned: RequestPlan } | { outcome: Exclude<WriteOutcome['outcome'], 'written'> });

/** Writes records in the customer's zone, all or none. If a credential is refused, the next covering one is tried. */
export async function writeToZone(
  providerAccess: ProviderAccess,
  row: ConnectionRow,
  records: readonly DnsRecord[],
  options: WriteOptions,
): Promise<ZoneWrite> {
  const tried = new Set<string>();
  const read = () => coveringCredential(providerAccess.pool, row.application_id, options.at ?? row.hostname);
  let last: ZoneWrite = { outcome: 'not_ours' };
  for (let { known } = options; ; known = undefined) {
    const credential = known ?? (await read());
    const key = credential && `${credential.id} ${credential.covering_zone}`;
    if (credential === null || key === null || tried.has(key)) return last;
    tried.add(key);
    try {
      return await writeWith(providerAccess, credential, row, records, options).catch((error: unknown) => {
        // The zone may have been recreated since its id was saved.
        if (!isZoneMissing(error) || credential.zone_handles.length === 0) throw error;
        return writeWith(providerAccess, { ...credential, zone_handles: [] }, row, records, options);
      });
    } catch (thrown) {
      const error = asProviderError(thrown, credential.provider);
      if (!(error instanceof ProviderError)) throw error;
      const outcome = outcomeOf(credential, error);
      if (outcome.outcome !== 'refused' || !(await isExcluded(providerAccess, credential, error, options.now)))
        return outcome;
      last = outcome;
    }
  }
}

async function writeWith(
  providerAccess: ProviderAccess,
  credential: CoveringCredential,
  row: ConnectionRow,
  records: readonly DnsRecord[],
  { at = row.hostname, purpose = 'connection', policy = credential.conflict_policy, ...options }: WriteOptions,
): Promise<ZoneWrite> {
  const account = openAccount(providerAccess, credential);
  const found = await findZone(providerAccess, account, credential, at, options.signal);
  if ('problem' in found) return refusedWrite(credential.id, 'credential_missing_zone', found.problem);
  const target = { ...options, policy, zone: found.zone, row, desired: records, purpose, credential };
  const ledger = ledgerOf(providerAccess.pool, row);
  await keepWildcardAnswers(providerAccess, ledger, account, target);
  const applied = await applyDesired(ledger, account, target);
  if ('conflicts' in applied) return conflictingWrite(credential.id, applied.conflicts);
  const { id, provider } = credential;
  return { outcome: 'written', credentialId: id, provider, planned: applied.written };
}

const isZoneMissing = (error: unknown): boolean => error instanceof ProviderError && error.code === 'zone_not_found';

/** Returns the account's zone for the connection if resolvers will find records there; otherwise the problem. */
export async function findZone(
  providerAccess: Pick<ProviderAccess, 'observeZone'>,
  account: Account,
  credential: Pick<CoveringCredential, 'provider' | 'zone_handles'>,
  connected: string,
  signal: AbortSignal,
): Promise<{ zone: Zone } | { problem: string }> {
  const hostname = baseOf(connected);
  const live = await providerAccess.observeZone(hostname, signal);
  const known = knownZone(credential, hostname);
  if (known !== undefined && delegatedElsewhere(hostname, known, live) === undefined) return { zone: known };
  // A sub-zone may have been created since the ids were saved.
  const zone = await account.findZone(hostname, { signal });
  if (!zone) return { problem: `The ${credential.provider} account has no zone for ${hostname}.` };
  const problem = delegatedElsewhere(hostname, zone, live);
  return problem === undefined ? { zone } : { problem };
}

/** Returns the zone from the credential's last check. If two have the same name, the provider must decide. */
function knownZone({ zone_handles }: Pick<CoveringCredential, 'zone_handles'>, hostname: string): Zone | undefined {
  const longest = longestZone(hostname, zone_handles);
  const isAlone = zone_handles.filter(({ name }) => name === longest?.name).length === 1;
  return isAlone ? longest : undefined;
}

function outcomeOf({ id, covering_zone }: CoveringCredential, error: ProviderError): ZoneWrite {
  if (error.retryable) {
    const retryAfterMs = (error.retryAfterSeconds ?? 0) * 1_000 || null;
    return { outcome: 'later', sentence: error.message, retryAfterMs, credentialId: id };
  }
  switch (error.code) {
    case 'auth_failed':
      return refusedWrite(id, 'credential_invalid', error.message);
    case 'forbidden_scope': {
      const sentence = `The credential may not be used for the zone ${covering_zone}. ${error.message}`;
      return refusedWrite(id, 'credential_missing_zone', sentence);
    }
    case 'conflict':
      return refusedWrite(id, 'record_conflict', error.message);
    case 'zone_not_found':
      return refusedWrite(id, 'credential_missing_zone', error.message);
    default:
      return refusedWrite(id, 'dns_write_failed', error.message);
  }
}

/** Whether the provider refuses the credential: everywhere if invalid, for this zone if without permission. */
async function isExcluded(
  { pool }: ProviderAccess,
  credential: CoveringCredential,
  { code, message: reason }: ProviderError,
  now: Date,
): Promise<boolean> {
  if (code === 'auth_failed') await recordHealth(pool, credential.id, { status: 'invalid', reason, zones: null });
  else if (code === 'forbidden_scope')
    await refuseZone(pool, credential, { zone: credential.covering_zone, reason, now });
  else return false;
  return true;
}
