import type { Config } from '../config.ts';
import { createPool, type Pool } from '../db/pool.ts';
import { registrableDomain } from '../dns/suffix.ts';
import { publicAuthority, type PublicAuthority } from '../edge/public-authority.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Opens the database at the first order, because orders are counted there and the process must start without it. */
export function authorityOf(config: Config, databaseUrl: string, lifecycle: Lifecycle): PublicAuthority {
  let opened: Promise<Pool> | undefined;
  lifecycle.add('database', { stop: async () => (await opened?.catch(() => undefined))?.end() });
  const open = (): Promise<Pool> => {
    const opening = createPool(databaseUrl, { max: 2, name: 'certificate orders', serves: 'requests' });
    opening.catch(() => (opened = undefined));
    return opening;
  };
  return {
    async mayOrder(hostname) {
      const pool = await (opened ??= open());
      return publicAuthority(pool, config.acmeDirectories, registrableDomain).mayOrder(hostname);
    },
  };
}
