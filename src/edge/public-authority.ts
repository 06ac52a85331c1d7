import { beginOrder } from '../db/certificate-orders.ts';
import type { Pool } from '../db/pool.ts';

/** A public authority that issues the certificates, and is asked only within budgets. */
export interface PublicAuthority {
  /** Whether an order may begin for a name that has no certificate yet; then it is written down. */
  mayOrder(hostname: string): Promise<boolean>;
}

export const publicAuthority = (
  pool: Pool,
  account: string,
  registeredDomain: (hostname: string) => string,
): PublicAuthority => ({
  mayOrder: (hostname) =>
    beginOrder(pool, { hostname, account, registeredDomain: registeredDomain(hostname) }, Date.now()),
});
