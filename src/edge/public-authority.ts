import { beginOrder } from '../db/certificate/certificate-orders.ts';
import type { Pool } from '../db/pool.ts';

/** A public certificate authority (CA) that is used within its limits. */
export interface PublicAuthority {
  /** Whether an order may start for a hostname without a certificate. If so, the order is saved. */
  mayOrder(hostname: string): Promise<boolean>;
}

/** Uses the limits of the first CA that allows an order: the edge asks the next CA when one refuses. */
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
