import { beginOrder } from '../db/certificate/certificate-orders.ts';
import type { Pool } from '../db/pool.ts';

/** A public authority that issues the certificates, and is asked only within budgets. */
export interface PublicAuthority {
  /** Whether an order may begin for a name that has no certificate yet; then it is written down. */
  mayOrder(hostname: string): Promise<boolean>;
}

/** By the budget of the first of the authorities that has room: the edge asks the next when one refuses. */
export const publicAuthority = (
  pool: Pool,
  accounts: readonly string[],
  registeredDomain: (hostname: string) => string,
): PublicAuthority => ({
  async mayOrder(hostname) {
    for (const account of accounts) {
      const order = { hostname, account, registeredDomain: registeredDomain(hostname) };
      const outcome = await beginOrder(pool, order, Date.now());
      if (outcome !== 'limited') return outcome === 'begun';
    }
    return false;
  },
});
