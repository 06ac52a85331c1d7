import { challengesOf, deleteOrder, getOrder } from '../db/certificate/acme-orders.ts';
import { settleOrder } from '../db/certificate/certificate-orders.ts';
import { replaceLeaving } from '../certificates/ended.ts';
import { removeWritten } from '../provisioning/remove.ts';
import { NotYet, type At } from '../domain/step.ts';
import { announceReady } from './results.ts';
import type { Ordering } from './steps.ts';

/** Announces the certificate, removes the values that the order published, and no others, and then the order. */
export async function finishOrder(ordering: Ordering, id: string, { now, signal }: At): Promise<void> {
  const { pool, providerAccess, delegation } = ordering;
  const order = await getOrder(pool, id);
  if (order === null) return;
  if (order.outcome === 'issued') await announceReady(pool, order, now);
  await replaceLeaving(pool, order.connection_id, new Date(now));
  const challenges = await challengesOf(pool, id);
  for (const { host, value, published_at } of challenges)
    if (published_at !== null && published_at !== host) await delegation?.remove(published_at, value, signal);
  if (challenges.some(({ host, published_at }) => published_at === host)) {
    const at = { purpose: 'certificate', now: new Date(now), signal } as const;
    const removed = await removeWritten(providerAccess, order.connection_id, at);
    if (removed.outcome === 'later') throw new NotYet(removed.sentence, removed.retryAfterMs);
  }
  // An order that ended without an outcome lost its connection or ran out of time.
  if (order.outcome === null) await settleOrder(pool, id, 'failed');
  await deleteOrder(pool, id);
}
