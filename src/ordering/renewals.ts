import { dueForRenewal, saveRenewalTime, toAskAbout } from '../db/certificate/due-certificates.ts';
import { HOUR } from '../domain/duration.ts';
import { beginOrder } from './begin.ts';
import type { Ordering } from './steps.ts';

const RENEWED_TOGETHER = 500;
const ASKED_TOGETHER = 500;
const ASK_AGAIN_AFTER = 6 * HOUR;

/** Orders the successors of certificates that are due. Returns how many. */
export async function renewDue({ pool, vault, directory }: Ordering, now: Date): Promise<number> {
  if (directory === null) return 0;
  const due = await dueForRenewal(pool, now, RENEWED_TOGETHER);
  for (const { renewal_id: replaces, ...connection } of due)
    await pool.transaction((tx) => beginOrder(tx, vault, connection, { directory, replaces, now }));
  return due.length;
}

/**
 * Asks the CA when it wants certificates renewed (ARI, RFC 9773). It may want that earlier, before it revokes them. A
 * random moment in its window spreads the renewals (section 4.2).
 */
export async function askRenewalTimes({ pool, accounts, directory }: Ordering, now: Date): Promise<number> {
  const asked = await toAskAbout(pool, now, ASKED_TOGETHER);
  if (asked.length === 0 || directory === null) return 0;
  const client = await accounts.clientOf(directory);
  for (const { id, renewal_id } of asked) {
    const info = await client.renewalInfo(renewal_id);
    const { start, end } = info?.suggestedWindow ?? {};
    const renewAt = start && end ? new Date(start.getTime() + Math.random() * (end.getTime() - start.getTime())) : null;
    await saveRenewalTime(pool, id, renewAt, new Date(now.getTime() + (info?.retryAfterMs ?? ASK_AGAIN_AFTER)));
  }
  return asked.length;
}
