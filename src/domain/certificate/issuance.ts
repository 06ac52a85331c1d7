/** How often an authority lets us ask, as Let's Encrypt publishes it (letsencrypt.org/docs/rate-limits). */
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

export interface IssuanceLimit {
  /** Orders that count: all of the account, those of the tenant, those for the registered domain, or those for the very name. */
  scope: 'account' | 'tenant' | 'domain' | 'hostname';
  /** Only attempts that failed count. */
  failedOnly?: true;
  most: number;
  withinMs: number;
  /** What it is called when it is reached. */
  title: string;
}

const ORDERS_PER_ACCOUNT = 300;
/** A fifth of the account's orders: what one tenant may use before the others feel it. */
const ORDERS_PER_TENANT = ORDERS_PER_ACCOUNT / 5;

export const ISSUANCE_LIMITS: readonly IssuanceLimit[] = [
  { scope: 'account', most: ORDERS_PER_ACCOUNT, withinMs: 3 * HOUR, title: '300 orders per account in 3 hours' },
  { scope: 'tenant', most: ORDERS_PER_TENANT, withinMs: 3 * HOUR, title: '60 orders per tenant in 3 hours' },
  { scope: 'domain', most: 50, withinMs: 7 * DAY, title: '50 certificates per registered domain in 7 days' },
  { scope: 'hostname', most: 5, withinMs: 7 * DAY, title: '5 certificates for the same name in 7 days' },
  { scope: 'hostname', failedOnly: true, most: 5, withinMs: HOUR, title: '5 failed validations per name in an hour' },
];

/** The edge itself begins no more than this many orders in this time; handshakes beyond them would only hang. */
export const EDGE_PACE = { most: 10, withinMs: 10 * SECOND };

/** The edge gives up on an authority after a minute or two; an order of which nothing was heard by then has failed. */
export const ORDER_LASTS = 120 * SECOND;

/** After the n-th failure in a row: 5, 15 and 45 minutes, up to 6 hours. An edge may try more than once per handshake. */
export const untilNextAttempt = (failures: number): number =>
  Math.min(5 * 60 * SECOND * 3 ** Math.max(0, failures - 1), 6 * HOUR);
