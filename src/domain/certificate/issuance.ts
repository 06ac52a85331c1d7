import { DAY, HOUR, MINUTE, SECOND } from '../duration.ts';

/**
 * Rate limits of the certificate authority, as Let's Encrypt publishes them (letsencrypt.org/docs/rate-limits). A
 * renewal is an order for names for which this account has had a certificate. A replacement is a renewal that names its
 * predecessor (ARI, RFC 9773 section 5).
 */
export interface IssuanceLimit {
  /** Orders that count towards the limit: of the account, the tenant, the registered domain, or the hostname. */
  scope: 'account' | 'tenant' | 'domain' | 'hostname';
  /** Orders that the limit neither counts nor blocks. Every replacement is a renewal too. */
  exempt: 'renewals' | 'replacements';
  /** Only failed orders count. */
  failedOnly?: true;
  most: number;
  withinMs: number;
  title: string;
}

const ORDERS_PER_ACCOUNT = 300;
/** A fifth of the account's orders, so that one tenant cannot use up the others' share. */
const ORDERS_PER_TENANT = ORDERS_PER_ACCOUNT / 5;

export const ISSUANCE_LIMITS: readonly IssuanceLimit[] = [
  {
    scope: 'account',
    exempt: 'renewals',
    most: ORDERS_PER_ACCOUNT,
    withinMs: 3 * HOUR,
    title: '300 new orders per account in 3 hours',
  },
  {
    scope: 'tenant',
    exempt: 'renewals',
    most: ORDERS_PER_TENANT,
    withinMs: 3 * HOUR,
    title: '60 new orders per tenant in 3 hours',
  },
  {
    scope: 'domain',
    exempt: 'renewals',
    most: 50,
    withinMs: 7 * DAY,
    title: '50 new certificates per registered domain in 7 days',
  },
  {
    scope: 'hostname',
    exempt: 'replacements',
    most: 5,
    withinMs: 7 * DAY,
    title: '5 certificates for the same name in 7 days',
  },
  {
    scope: 'hostname',
    exempt: 'replacements',
    failedOnly: true,
    most: 5,
    withinMs: HOUR,
    title: '5 failed validations per name in an hour',
  },
];

/** Whether a limit does not apply to an order. */
export const isExempt = (
  { exempt }: Pick<IssuanceLimit, 'exempt'>,
  order: { isRenewal: boolean; replaces: boolean },
): boolean => order.isRenewal && (exempt === 'renewals' || order.replaces);

/** Maximum number of orders that an edge starts in this time. Further handshakes would wait without an answer. */
export const EDGE_PACE = { most: 10, withinMs: 10 * SECOND };

/** Time after which an order without a result counts as failed: the edge stops waiting after a minute or two. */
export const ORDER_LASTS = 120 * SECOND;

/** Returns the wait after the n-th failure in a row: 5, 15 and 45 minutes, up to 6 hours. */
export const untilNextAttempt = (failures: number): number =>
  Math.min(5 * MINUTE * 3 ** Math.max(0, failures - 1), 6 * HOUR);
