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

/** Which authority is asked for what. The account is the authority's address: limits are counted there. */
export interface Order {
  hostname: string;
  registeredDomain: string;
  account: string;
}

export type Reservation =
  | { outcome: 'reserved'; id: string }
  /**
   * An authority's limit would be broken; `until` is when it no longer would. A limit on failures is none that another
   * authority helps with: what fails at one fails at the next.
   */
  | { outcome: 'limited'; title: string; until: number; anotherHelps: boolean }
  /** The edge has begun as many orders as it begins at a time. */
  | { outcome: 'queued'; until: number };

/**
 * Writes the order down before the worker makes it, if every limit leaves room for it. One that a visitor's handshake has
 * begun a moment ago is the same order: the edge makes one of both.
 */
export const reserveOrder = (pool: Pool, order: Order, now: number): Promise<Reservation> =>
  inTurn(pool, order, async (tx) => {
    const underWay = await orderUnderWay(tx, order);
    return underWay === null ? reserve(tx, order, 'worker', now) : { outcome: 'reserved', id: underWay };
  });

/**
 * Whether the edge may begin an order at a visitor's handshake, for a name that has no certificate yet. The order is
 * written down here unless it is under way. A second authority is an answer to `limited`, where a limit of the first is
 * used up, and none to `not_now`: after failures the worker tries again first, and the edge begins only so many at a time.
 */
export const beginOrder = (pool: Pool, order: Order, now: number): Promise<'begun' | 'limited' | 'not_now'> =>
  inTurn(pool, order, async (tx) => {
    if ((await orderUnderWay(tx, order)) !== null) return 'begun';
    const failed = await failuresInRow(tx, order, now);
    if (failed.lastAt !== null && failed.lastAt + untilNextAttempt(failed.count) > now) return 'not_now';
    const reserved = await reserve(tx, order, 'ask', now);
    if (reserved.outcome === 'reserved') return 'begun';
    return reserved.outcome === 'limited' && reserved.anotherHelps ? 'limited' : 'not_now';
  });

/** Orders of an account take turns. */
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

/**
 * The order that the edge is busy with, so that further handshakes wait for that one. The worker says when its order
 * ends; of an order that a visitor began nothing is heard, and a failed one may be over after a few seconds.
 */
const orderUnderWay = (tx: Tx, { hostname, account }: Order): Promise<string | null> =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.uuid() }))`
    SELECT id FROM certificate_orders
    WHERE hostname = ${hostname} AND account = ${account} AND outcome = 'pending'
      AND begun_at > clock_timestamp() - CASE begun_by WHEN 'worker' THEN interval '1 minute' ELSE interval '5 seconds' END
    ORDER BY begun_at DESC LIMIT 1
  `);

/** The limit that keeps the order waiting longest, if any does: before its end another try would be in vain. */
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

/** When the limit has room again: the n-th newest order that counts leaves the window. Null when it has room now. */
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

/** Also an order of which nothing was heard although the edge has given it up by now. */
const hasFailed = (now: number) => sql.fragment`
  (outcome = 'failed' OR outcome = 'pending' AND ordered_at <= ${sql.timestamp(new Date(now - ORDER_LASTS))})`;

export async function settleOrder(pool: Pool, id: string, outcome: 'issued' | 'failed'): Promise<void> {
  await pool.query(sql.type(none)`UPDATE certificate_orders SET outcome = ${outcome} WHERE id = ${id}`);
}

/** The authority was not asked after all. */
export async function withdrawOrder(pool: Pool, id: string): Promise<void> {
  await pool.query(sql.type(none)`DELETE FROM certificate_orders WHERE id = ${id}`);
}

/** The edge renewed by itself. */
export const recordRenewal = (pool: Pool, order: Order, now: number): Promise<void> =>
  insert(pool, uuidv7(), order, 'issued', now);

/** How long to leave the name alone after failures in a row. */
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
