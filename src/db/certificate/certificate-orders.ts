import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import {
  EDGE_PACE,
  isExempt,
  ISSUANCE_LIMITS,
  ORDER_LASTS,
  untilNextAttempt,
  type IssuanceLimit,
} from '../../domain/certificate/issuance.ts';
import { none, sql, type Pool, type Tx } from '../pool.ts';

/** An order at a certificate authority (CA). The account is the CA's URL, or `ownAccount` of it, for the worker's. */
export interface Order {
  hostname: string;
  registeredDomain: string;
  account: string;
  /** The order names the certificate that it replaces (ARI, RFC 9773 section 5). */
  replaces?: boolean;
}

/** Returns the account under which the worker's own orders are counted. At the CA it is not the edge's. */
export const ownAccount = (directory: string): string => `${directory}${OWN}`;
const OWN = '#worker';

/** Returns both accounts at the same CA: limits of domains and hostnames count across accounts. */
const accountsAt = ({ account }: Order) => {
  const directory = account.endsWith(OWN) ? account.slice(0, -OWN.length) : account;
  return sql.array([directory, ownAccount(directory)], 'text');
};

/** Writer of the order: the worker before its handshake, ask at a visitor’s, or the worker after a renewal by the edge. */
type BegunBy = 'worker' | 'ask' | 'edge';

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

/** Saves an order that the worker places itself, under its id, if every limit allows it. A repetition changes nothing. */
export const reserveOwnOrder = (pool: Pool, id: string, order: Order, now: number): Promise<Reservation> =>
  inTurn(pool, order, async (tx) => {
    const known = await tx.exists(sql.type(none)`SELECT FROM certificate_orders WHERE id = ${id}`);
    const limited = known ? null : await limitedBy(tx, order, await isRenewal(tx, order), now);
    if (limited !== null) return { outcome: 'limited', ...limited };
    if (!known) await insert(tx, id, order, 'pending', now, 'worker');
    return { outcome: 'reserved', id };
  });

/** Orders that may begin at other places between a question and the order that follows. */
const SPARE = 10;

/** Whether the limits leave room for an order and a few others. Nothing is saved. */
export const hasRoom = (pool: Pool, order: Order, now: number): Promise<boolean> =>
  pool.transaction(async (tx) => (await limitedBy(tx, order, await isRenewal(tx, order), now, SPARE)) === null);

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
  const limited = await limitedBy(tx, order, await isRenewal(tx, order), now);
  if (limited !== null) return { outcome: 'limited', ...limited };
  const pace = await fullUntil(tx, placedAtEdge(order), EDGE_PACE, now);
  if (pace !== null) return { outcome: 'queued', until: pace };
  const id = uuidv7();
  await insert(tx, id, order, 'pending', now, by);
  return { outcome: 'reserved', id };
}

/** Whether this service has had a certificate of the CA for the hostname, so that the next order is a renewal. */
const hadCertificate = (order: Order) => sql.fragment`
  EXISTS (SELECT FROM certificate_orders
          WHERE hostname = ${order.hostname} AND account = ANY(${accountsAt(order)}) AND outcome = 'issued') AS exists`;

const isRenewal = (tx: Tx, order: Order): Promise<boolean> =>
  tx.oneFirst(sql.type(z.object({ exists: z.boolean() }))`SELECT ${hadCertificate(order)}`);

/** Returns the order in progress, so that further handshakes wait for it. Orders that visitors start report no end. */
const orderUnderWay = (tx: Tx, { hostname, account }: Order): Promise<string | null> =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.uuid() }))`
    SELECT id FROM certificate_orders
    WHERE hostname = ${hostname} AND account = ${account} AND outcome = 'pending'
      AND begun_at > clock_timestamp() - CASE begun_by WHEN 'worker' THEN interval '1 minute' ELSE interval '5 seconds' END
    ORDER BY begun_at DESC LIMIT 1
  `);

/** Returns the limit that blocks the order longest, if any. */
async function limitedBy(tx: Tx, order: Order, renews: boolean, now: number, spare = 0) {
  let longest: { title: string; until: number } | null = null;
  let anotherHelps = true;
  for (const limit of ISSUANCE_LIMITS) {
    if (isExempt(limit, { isRenewal: renews, replaces: order.replaces === true })) continue;
    const most = Math.max(1, limit.most - spare);
    const until = await fullUntil(tx, countedBy(limit, order, now), { ...limit, most }, now);
    if (until === null) continue;
    if (limit.failedOnly === true) anotherHelps = false;
    if (until > (longest?.until ?? now)) longest = { title: limit.title, until };
  }
  return longest === null ? null : { ...longest, anotherHelps };
}

/** Orders of the account that this service allowed. An edge paces its own renewals. */
const placedAtEdge = ({ account }: Order) => sql.fragment`account = ${account} AND begun_by <> 'edge'`;

/** Returns the condition for the orders that a limit counts. */
function countedBy({ scope, exempt, failedOnly }: IssuanceLimit, order: Order, now: number) {
  const ofAccount = sql.fragment`account = ${order.account}`;
  const atCa = sql.fragment`account = ANY(${accountsAt(order)})`;
  const inScope = {
    account: ofAccount,
    tenant: sql.fragment`${ofAccount} AND tenant_id = tenant_of_claim(${order.hostname})`,
    domain: sql.fragment`${atCa} AND registered_domain = ${order.registeredDomain} AND outcome <> 'failed'`,
    hostname: failedOnly
      ? sql.fragment`${ofAccount} AND hostname = ${order.hostname} AND ${hasFailed(now)}`
      : sql.fragment`${atCa} AND hostname = ${order.hostname} AND outcome <> 'failed'`,
  }[scope];
  const applies = exempt === 'renewals' ? sql.fragment`kind = 'new'` : sql.fragment`NOT replaces`;
  return sql.fragment`${applies} AND ${inScope}`;
}

/** Returns when the limit allows another order (the n-th newest leaves its window); null if it allows one now. */
async function fullUntil(
  tx: Tx,
  counted: ReturnType<typeof countedBy>,
  { most, withinMs }: Pick<IssuanceLimit, 'most' | 'withinMs'>,
  now: number,
): Promise<number | null> {
  const decisive = await tx.maybeOneFirst(sql.type(z.object({ ordered_at: z.date() }))`
    SELECT ordered_at FROM certificate_orders
    WHERE ${counted} AND ordered_at > ${sql.timestamp(new Date(now - withinMs))}
    ORDER BY ordered_at DESC OFFSET ${most - 1} LIMIT 1
  `);
  return decisive === null ? null : decisive.getTime() + withinMs;
}

/** Whether an order has failed. An edge's without a report counts as failed once the edge must have stopped. */
const hasFailed = (now: number) => sql.fragment`
  (outcome = 'failed' OR outcome = 'pending' AND right(account, ${OWN.length}) <> ${OWN}
    AND ordered_at <= ${sql.timestamp(new Date(now - ORDER_LASTS))})`;

export async function settleOrder(pool: Pool, id: string, outcome: 'issued' | 'failed'): Promise<void> {
  await pool.query(sql.type(none)`UPDATE certificate_orders SET outcome = ${outcome} WHERE id = ${id}`);
}

/** Deletes an order that was not placed. */
export async function withdrawOrder(pool: Pool, id: string): Promise<void> {
  await pool.query(sql.type(none)`DELETE FROM certificate_orders WHERE id = ${id}`);
}

/** Saves an order that an edge placed by itself. */
export const recordRenewal = (pool: Pool, order: Order, now: number): Promise<void> =>
  insert(pool, uuidv7(), order, 'issued', now, 'edge');

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
  order: Order,
  outcome: 'pending' | 'issued',
  now: number,
  by: BegunBy,
): Promise<void> {
  const { hostname, registeredDomain, account, replaces = false } = order;
  await db.query(sql.type(none)`
    INSERT INTO certificate_orders
      (id, hostname, registered_domain, account, tenant_id, ordered_at, outcome, begun_by, kind, replaces)
    SELECT ${id}, ${hostname}, ${registeredDomain}, ${account}, tenant_of_claim(${hostname}),
      ${sql.timestamp(new Date(now))}, ${outcome}, ${by}, CASE WHEN had.exists THEN 'renewal' ELSE 'new' END, ${replaces}
    FROM (SELECT ${hadCertificate(order)}) AS had
  `);
}
