import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import {
  EDGE_PACE,
  ISSUANCE_LIMITS,
  ORDER_LASTS,
  untilNextAttempt,
  type IssuanceLimit,
} from '../../domain/certificate/issuance.ts';
import { none, sql, type Pool, type Tx } from '../pool.ts';

/** An order at a certificate authority (CA). The account is the CA's URL, for which limits are counted. */
export interface Order {
  hostname: string;
  registeredDomain: string;
  account: string;
}

export type Reservation =
  | { outcome: 'reserved'; id: string }
  /** A limit of the CA is used up. Another CA does not help with a limit on failures: it would fail there too. */
  | { outcome: 'limited'; title: string; until: number; anotherHelps: boolean }
  /** The edge has reached its number of concurrent orders. */
  | { outcome: 'queued'; until: number };

/** Saves the worker's order if every limit allows it. The edge merges it with a visitor's order in progress. */
export const reserveOrder = (pool: Pool, order: Order, now: number): Promise<Reservation> =>
  inTurn(pool, order, async (tx) => {
    const underWay = await orderUnderWay(tx, order);
    return underWay === null ? reserve(tx, order, 'worker', now) : { outcome: 'reserved', id: underWay };
  });

/** Whether a handshake may start an order. `limited`: another CA may help. `not_now`: the worker retries first. */
export const beginOrder = (pool: Pool, order: Order, now: number): Promise<'begun' | 'limited' | 'not_now'> =>
  inTurn(pool, order, async (tx) => {
    if ((await orderUnderWay(tx, order)) !== null) return 'begun';
    const failed = await failuresInRow(tx, order, now);
    if (failed.lastAt !== null && failed.lastAt + untilNextAttempt(failed.count) > now) return 'not_now';
    const reserved = await reserve(tx, order, 'ask', now);
    if (reserved.outcome === 'reserved') return 'begun';
    return reserved.outcome === 'limited' && reserved.anotherHelps ? 'limited' : 'not_now';
  });

/** Serializes the orders of an account. */
function inTurn<T>(pool: Pool, { account }: Order, body: (tx: Tx) => Promise<T>): Promise<T> {
  return pool.transaction(async (tx) => {
    await tx.query(sql.type(z.object({}))`
      SELECT pg_advisory_xact_lock(hashtextextended('certificate_orders ' || ${account}, 0))
    `);
    return body(tx);
  });
}

async function reserve(tx: Tx, order: Order, by: 'worker' | 'ask', now: number): Promise<Reservation> {
  const limited = await limitedBy(tx, order, now);
  if (limited !== null) return { outcome: 'limited', ...limited };
  const pace = await fullUntil(tx, order, { scope: 'account', title: '', ...EDGE_PACE }, now);
  if (pace !== null) return { outcome: 'queued', until: pace };
  const id = uuidv7();
  await insert(tx, id, order, 'pending', now, by);
  return { outcome: 'reserved', id };
}

/** Returns the order in progress, so that further handshakes wait for it. Orders that visitors start report no end. */
const orderUnderWay = (tx: Tx, { hostname, account }: Order): Promise<string | null> =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.uuid() }))`
    SELECT id FROM certificate_orders
    WHERE hostname = ${hostname} AND account = ${account} AND outcome = 'pending'
      AND begun_at > clock_timestamp() - CASE begun_by WHEN 'worker' THEN interval '1 minute' ELSE interval '5 seconds' END
    ORDER BY begun_at DESC LIMIT 1
  `);

/** Returns the limit that blocks the order longest, if any. */
async function limitedBy(tx: Tx, order: Order, now: number) {
  let longest: { title: string; until: number } | null = null;
  let anotherHelps = true;
  for (const limit of ISSUANCE_LIMITS) {
    const until = await fullUntil(tx, order, limit, now);
    if (until === null) continue;
    if (limit.failedOnly === true) anotherHelps = false;
    if (until > (longest?.until ?? now)) longest = { title: limit.title, until };
  }
  return longest === null ? null : { ...longest, anotherHelps };
}

/** Returns when the limit allows another order (the n-th newest leaves its window); null if it allows one now. */
async function fullUntil(tx: Tx, order: Order, limit: IssuanceLimit, now: number): Promise<number | null> {
  const scope = {
    account: sql.fragment`true`,
    tenant: sql.fragment`tenant_id = tenant_of_claim(${order.hostname})`,
    domain: sql.fragment`registered_domain = ${order.registeredDomain}`,
    hostname: sql.fragment`hostname = ${order.hostname}`,
  }[limit.scope];
  const countsAll = limit.scope === 'account' || limit.scope === 'tenant';
  const counted = limit.failedOnly ? hasFailed(now) : sql.fragment`outcome <> 'failed'`;
  const decisive = await tx.maybeOneFirst(sql.type(z.object({ ordered_at: z.date() }))`
    SELECT ordered_at FROM certificate_orders
    WHERE account = ${order.account} AND ${scope} AND ${countsAll ? sql.fragment`true` : counted}
      AND ordered_at > ${sql.timestamp(new Date(now - limit.withinMs))}
    ORDER BY ordered_at DESC OFFSET ${limit.most - 1} LIMIT 1
  `);
  return decisive === null ? null : decisive.getTime() + limit.withinMs;
}

/** Whether an order has failed. One without a report counts as failed once the edge must have stopped. */
const hasFailed = (now: number) => sql.fragment`
  (outcome = 'failed' OR outcome = 'pending' AND ordered_at <= ${sql.timestamp(new Date(now - ORDER_LASTS))})`;

export async function settleOrder(pool: Pool, id: string, outcome: 'issued' | 'failed'): Promise<void> {
  await pool.query(sql.type(none)`UPDATE certificate_orders SET outcome = ${outcome} WHERE id = ${id}`);
}

/** Deletes an order that was not placed. */
export async function withdrawOrder(pool: Pool, id: string): Promise<void> {
  await pool.query(sql.type(none)`DELETE FROM certificate_orders WHERE id = ${id}`);
}

export const recordRenewal = (pool: Pool, order: Order, now: number): Promise<void> =>
  insert(pool, uuidv7(), order, 'issued', now);

export const untilNextTry = async (pool: Pool, order: Order, now: number): Promise<number> =>
  untilNextAttempt((await failuresInRow(pool, order, now)).count);

const Failures = z.object({ count: z.number(), last_at: z.date().nullable() });

async function failuresInRow(db: Pool | Tx, { hostname, account }: Order, now: number) {
  const { count, last_at } = await db.one(sql.type(Failures)`
    SELECT count(*) AS count, max(ordered_at) AS last_at FROM certificate_orders
    WHERE hostname = ${hostname} AND account = ${account} AND ${hasFailed(now)}
      AND ordered_at > coalesce(
        (SELECT max(ordered_at) FROM certificate_orders
         WHERE hostname = ${hostname} AND account = ${account} AND outcome = 'issued'), '-infinity')
  `);
  return { count, lastAt: last_at?.getTime() ?? null };
}

async function insert(
  db: Pool | Tx,
  id: string,
  { hostname, registeredDomain, account }: Order,
  outcome: 'pending' | 'issued',
  now: number,
  by: 'worker' | 'ask' = 'worker',
): Promise<void> {
  await db.query(sql.type(none)`
    INSERT INTO certificate_orders (id, hostname, registered_domain, account, tenant_id, ordered_at, outcome, begun_by)
    VALUES (${id}, ${hostname}, ${registeredDomain}, ${account}, tenant_of_claim(${hostname}),
            ${sql.timestamp(new Date(now))}, ${outcome}, ${by})
  `);
}
