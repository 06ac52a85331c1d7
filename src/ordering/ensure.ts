import { failureOf, saveFailure } from '../db/certificate/acme-failures.ts';
import { orderOfConnection } from '../db/certificate/acme-orders.ts';
import { validCertificateOf } from '../db/certificate/certificates.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { lockConnection } from '../db/connection/connections.ts';
import { remain, type Change } from '../db/connection/transitions.ts';
import type { Pool } from '../db/pool.ts';
import { challengeHost, isWildcard } from '../domain/certificate/dns-validation.ts';
import { DAY } from '../domain/duration.ts';
import type { Finding } from '../domain/observation/finding.ts';
import { isSandboxName } from '../domain/hostname.ts';
import type { At } from '../domain/step.ts';
import { beginOrder } from './begin.ts';
import { takenChallenge } from './failure.ts';
import { placeOf } from './place.ts';
import type { Ordering } from './steps.ts';

/** Whether a connection has the certificate that it wants before its records change. */
export type Readiness =
  | { kind: 'ready' }
  /** No order can succeed, so the edge obtains the certificate once the hostname points there. */
  | { kind: 'falls_back' }
  | { kind: 'waits'; sentence: string };

/** Whether the connection's certificate is ordered by us: before the DNS moves, or for a wildcard. */
export const isOrdered = ({
  serve,
  before_dns,
  hostname,
}: Pick<ConnectionRow, 'serve' | 'before_dns' | 'hostname'>): boolean => serve && (before_dns || isWildcard(hostname));

/** Orders the certificate of a connection that wants one, unless it has one, or an order is in progress or failed lately. */
export async function ensureOrder(ordering: Ordering, row: ConnectionRow, { now, signal }: At): Promise<Readiness> {
  const { pool, vault, observer, delegation, directory } = ordering;
  const at = new Date(now);
  if (isSandboxName(row.hostname)) return pretendIssued(pool, row, at);
  if (directory === null) return leaveToEdge(pool, row, at);
  if ((await validCertificateOf(pool, row.id, at)) !== null) return { kind: 'ready' };
  if ((await orderOfConnection(pool, row.id)) !== null) return waits('The certificate is being ordered.');
  const failure = await failureOf(pool, row.id);
  if (failure?.falls_back && failure.retry_at > at) return { kind: 'falls_back' };
  if (failure !== null && failure.retry_at > at) return waits(failure.finding.message);
  const host = challengeHost(row.hostname);
  const place = await placeOf({ db: pool, lookup: observer.lookup(signal), delegation }, row, host);
  if (place.kind === 'none') return waits(`The certificate needs the record ${host}.`);
  if (place.kind === 'taken') {
    const { finding } = takenChallenge(host, place.target);
    const retry_at = new Date(now + DAY);
    await pool.transaction((tx) => saveFailure(tx, row, { retry_at, falls_back: true, finding }, at));
    return { kind: 'falls_back' };
  }
  await pool.transaction((tx) => beginOrder(tx, vault, row, { directory, now: at }));
  return waits('The certificate is being ordered.');
}

/** No CA can validate a sandbox hostname, so its order succeeds at the first attempt. */
async function pretendIssued(pool: Pool, row: ConnectionRow, now: Date): Promise<Readiness> {
  if (!row.ready_to_point)
    await changeRow(pool, row, { now, ready_at: now, ready_to_point: true, phase_started_at: now });
  return { kind: 'ready' };
}

/** This deployment orders no certificates, so the connection continues as one that does not want it in advance. */
async function leaveToEdge(pool: Pool, row: ConnectionRow, now: Date): Promise<Readiness> {
  if (row.before_dns) await changeRow(pool, row, { now, before_dns: false });
  return { kind: 'falls_back' };
}

const changeRow = (pool: Pool, { id, state }: ConnectionRow, change: Change) =>
  pool.transaction(async (tx) => {
    const fresh = await lockConnection(tx, id);
    if (fresh?.state === state) await remain(tx, fresh, change);
  });

/** Orders the certificate if the connection lacks one, and returns why the last order failed. */
export async function orderFindings(ordering: Ordering, row: ConnectionRow, at: At): Promise<Finding[]> {
  if (!isOrdered(row) || (await ensureOrder(ordering, row, at)).kind === 'ready') return [];
  const failure = await failureOf(ordering.pool, row.id);
  return failure === null ? [] : [failure.finding];
}

const waits = (sentence: string): Readiness => ({ kind: 'waits', sentence });
