import { failureOf, saveFailure } from '../db/certificate/acme-failures.ts';
import { orderOfConnection } from '../db/certificate/acme-orders.ts';
import { validCertificateOf } from '../db/certificate/certificates.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { challengeHost } from '../domain/certificate/dns-validation.ts';
import { DAY } from '../domain/duration.ts';
import { isSandboxName } from '../domain/hostname.ts';
import { beginOrder } from './begin.ts';
import { takenChallenge } from './failure.ts';
import { placeOf } from './place.ts';
import type { At, Ordering } from './steps.ts';

/** Whether a connection has the certificate that it wants before its records change. */
export type Readiness =
  | { kind: 'ready' }
  /** No order can succeed, so the edge obtains the certificate once the hostname points there. */
  | { kind: 'falls_back' }
  | { kind: 'waits'; sentence: string };

/** Orders the certificate of a connection that wants one, unless it has one, or an order is in progress or failed lately. */
export async function ensureOrder(ordering: Ordering, row: ConnectionRow, { now, signal }: At): Promise<Readiness> {
  const { pool, vault, observer, delegation, directory } = ordering;
  const at = new Date(now);
  // No CA can validate a sandbox hostname.
  if (directory === null || isSandboxName(row.hostname)) return { kind: 'falls_back' };
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

const waits = (sentence: string): Readiness => ({ kind: 'waits', sentence });
