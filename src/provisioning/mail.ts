import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { adoptMailValues, ownedValues } from '../db/zone/ledger.ts';
import type { Tx } from '../db/pool.ts';
import { writableRecords, type MailRequest } from '../domain/email/email-records.ts';
import type { Conflict } from '../domain/zone/plan.ts';
import { hostsOf, isOneOf, type ZoneRecord } from '../domain/zone/zone-record.ts';
import type { DnsRecord } from '../domain/record.ts';
import type { ProviderAccess } from './account.ts';
import { writeToZone } from './write.ts';

const LATER_MS = 30_000;

export type MailOutcome =
  /** `current` are the records at the mail names before, `written` those that this call added. */
  | { outcome: 'written'; current: readonly ZoneRecord[]; written: DnsRecord[]; leftOut: readonly Conflict[] }
  /** Nothing was written; `sentence` explains why, if there is a reason. */
  | { outcome: 'by_hand'; sentence: string | null }
  | { outcome: 'later'; sentence: string; retryAfterMs: number };

/** Writes mail records next to the customer's own, without conflicting ones, and removes ours for other providers. */
export async function writeMail(
  providerAccess: ProviderAccess,
  row: ConnectionRow,
  request: MailRequest,
  options: { now: Date; signal: AbortSignal; guard(tx: Tx): Promise<void> },
): Promise<MailOutcome> {
  const { pool } = providerAccess;
  const desired = writableRecords(request);
  await pool.transaction((tx) => adoptMailValues(tx, row, request.domain));
  const outcome = await writeToZone(providerAccess, row, desired, {
    ...options,
    policy: 'refuse',
    purpose: 'email',
    at: request.domain,
    leavesOut: true,
    hosts: [...new Set([...hostsOf(desired), ...(await formerHosts(providerAccess, row))])],
  });
  if (outcome.outcome === 'not_ours') return { outcome: 'by_hand', sentence: null };
  if (outcome.outcome === 'refused') return { outcome: 'by_hand', sentence: outcome.sentence };
  if (outcome.outcome === 'later') return { ...outcome, retryAfterMs: outcome.retryAfterMs ?? LATER_MS };
  const { current, leftOut } = outcome.planned;
  const standing = (await ownedValues(pool, row.id)).filter(({ purpose }) => purpose === 'email');
  const written = desired.filter((record) => isOneOf(record, standing) && !isOneOf(record, current));
  return { outcome: 'written', current, leftOut, written };
}

/** Returns names of our former mail records, without DKIM: mail with an old signature is still in transit. */
const formerHosts = async ({ pool }: ProviderAccess, row: ConnectionRow): Promise<string[]> =>
  hostsOf((await ownedValues(pool, row.id)).filter(({ purpose }) => purpose === 'email')).filter(
    (host) => !host.includes('._domainkey.'),
  );
