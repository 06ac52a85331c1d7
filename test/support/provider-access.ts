import { randomBytes } from 'node:crypto';
import type { Pool } from '../../src/db/pool.ts';
import { UNOBSERVED_ZONE } from '../../src/domain/delegation.ts';
import type { ProviderAccess } from '../../src/provisioning/account.ts';
import { systemClock } from '../../src/providers/toolkit/clock.ts';
import { providerHttp } from '../../src/providers/toolkit/http.ts';
import { tokenCache } from '../../src/providers/toolkit/token-cache.ts';
import { sharedAllowances } from '../../src/provisioning/request-allowances.ts';
import { sharedZoneLock } from '../../src/provisioning/zone-lock.ts';
import { openVault } from '../../src/vault/vault.ts';

/** A providerAccess with a key of its own, that may reach servers on this machine and asks no DNS. */
export const testProviderAccess = (pool: Pool): ProviderAccess => ({
  pool,
  vault: openVault(`k1:${randomBytes(32).toString('base64')}`),
  http: providerHttp({ allowances: sharedAllowances(pool) }),
  zoneLock: sharedZoneLock(pool),
  tokens: tokenCache(systemClock),
  baseUrls: new Map(),
  allowPrivate: true,
  observeZone: () => Promise.resolve(UNOBSERVED_ZONE),
});
