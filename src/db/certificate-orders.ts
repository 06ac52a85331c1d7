import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import { EDGE_PACE, ISSUANCE_LIMITS, untilNextAttempt, type IssuanceLimit } from '../domain/issuance.ts';
import { none, sql, type Pool, type Tx } from './pool.ts';

/** Who asks which authority for what. The account is the authority's address: limits are counted there. */
export interface Order {
  hostname: string;
  registeredDomain: string;
  account: string;
}

export type Reservation =
  | { outcome: 'reserved'; id: string }
  /** An authority's limit would be broken; `until` is when it no longer would. */
  | { outcome: 'limited'; title: string; until: number }
  /** The edge has begun as many orders as it begins at a time. */
  | { outcome: 'queued'; until: number };

/** Writes the order down before it is made, if every limit leaves room for it. Orders of an account take turns. */
export function reserveOrder(pool: Pool, order: Order, now: number): Promise<Reservation> {
  return pool.transaction(async (tx) => {
    await tx.query(sql.type(z.object({}))`
      SELECT pg_advisory_xact_lock(hashtextextended('certificate_orders ' || ${order.account}, 0))
    `);
    const limited = await limitedBy(tx, order, now);
    if (limited !== null) return { outcome: 'limited', ...limited };
    const pace = await fullUntil(tx, order, { scope: 'account', title: '', ...EDGE_PACE }, now);
    if (pace !== null) return { outcome: 'queued', until: pace };
    const id = uuidv7();
    await insert(tx, id, order, 'pending', now);
    return { outcome: 'reserved', id };
  });
}

/** The limit that keeps the order waiting longest, if any does: before its end another try would be in vain. */
async function limitedBy(tx: Tx, order: Order, now: number): Promise<{ title: string; until: number } | null> {
  let longest: { title: string; until: number } | null = null;
  for (const limit of ISSUANCE_LIMITS) {
    const until = await fullUntil(tx, order, limit, now);
    if (until !== null && until > (longest?.until ?? now)) longest = { title: limit.title, until };
  }
  return longest;
}

/** When the limit has room again: the n-th newest order that counts leaves the window. Null when it has room now. */
async function fullUntil(tx: Tx, order: Order, limit: IssuanceLimit, now: number): Promise<number | null> {
  const scope = {
    account: sql.fragment`true`,
    domain: sql.fragment`registered_domain = ${order.registeredDomain}`,
    hostname: sql.fragment`hostname = ${order.hostname}`,
  }[limit.scope];
  const counted = limit.failedOnly ? sql.fragment`outcome = 'failed'` : sql.fragment`outcome <> 'failed'`;
  const decisive = await tx.maybeOneFirst(sql.type(z.object({ ordered_at: z.date() }))`
    SELECT ordered_at FROM certificate_orders
    WHERE account = ${order.account} AND ${scope} AND ${limit.scope === 'account' ? sql.fragment`true` : counted}
      AND ordered_at > ${sql.timestamp(new Date(now - limit.withinMs))}
    ORDER BY ordered_at DESC OFFSET ${limit.most - 1} LIMIT 1
  `);
  return decisive === null ? null : decisive.getTime() + limit.withinMs;
}

export async function settleOrder(pool: Pool, id: string, outcome: 'issued' | 'failed'): Promise<void> {
  await pool.query(sql.type(none)`UPDATE certificate_orders SET outcome = ${outcome} WHERE id = ${id}`);
}

/** The authority was not asked after all. */
export async function withdrawOrder(pool: Pool, id: string): Promise<void> {
  await pool.query(sql.type(none)`DELETE FROM certificate_orders WHERE id = ${id}`);
}

/** The edge renewed by itself. */
export const noteRenewal = (pool: Pool, order: Order, now: number): Promise<void> =>
  insert(pool, uuidv7(), order, 'issued', now);

/** How long to leave the name alone after failures in a row. */
export async function untilNextTry(pool: Pool, { hostname, account }: Order): Promise<number> {
  const failures = await pool.oneFirst(sql.type(z.object({ failures: z.number() }))`
    SELECT count(*) AS failures FROM certificate_orders
    WHERE hostname = ${hostname} AND account = ${account} AND outcome = 'failed'
      AND ordered_at > coalesce(
        (SELECT max(ordered_at) FROM certificate_orders
         WHERE hostname = ${hostname} AND account = ${account} AND outcome = 'issued'), '-infinity')
  `);
  return untilNextAttempt(failures);
}

async function insert(db: Pool | Tx, id: string, order: Order, outcome: string, now: number): Promise<void> {
  await db.query(sql.type(none)`
    INSERT INTO certificate_orders (id, hostname, registered_domain, account, ordered_at, outcome)
    VALUES (${id}, ${order.hostname}, ${order.registeredDomain}, ${order.account}, ${sql.timestamp(new Date(now))}, ${outcome})
  `);
}
