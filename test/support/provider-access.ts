import { randomBytes } from 'node:crypto';
import type { Pool } from '../../src/db/pool.ts';
import { UNOBSERVED_ZONE } from '../../src/domain/observation/delegation.ts';
import type { ProviderAccess } from '../../src/provisioning/account.ts';
import { systemClock } from '../../src/providers/toolkit/clock.ts';
import { providerHttp } from '../../src/providers/toolkit/http.ts';
import { tokenCache } from '../../src/providers/toolkit/token-cache.ts';
import { sharedAllowances } from '../../src/provisioning/request-allowances.ts';
import { sharedZoneLock } from '../../src/provisioning/zone-lock.ts';
import { openVault } from '../../src/vault/vault.ts';

/** Provider access that may reach servers on this machine and asks no DNS. Its vault has a new key unless one is given. */
export const testProviderAccess = (
  pool: Pool,
  vaultKey = `k1:${randomBytes(32).toString('base64')}`,
): ProviderAccess => ({
  pool,
  vault: openVault(vaultKey),
  http: providerHttp({ allowances: sharedAllowances(pool) }),
  zoneLock: sharedZoneLock(pool),
  tokens: tokenCache(systemClock),
  baseUrls: new Map(),
  allowPrivate: true,
  observeZone: () => Promise.resolve(UNOBSERVED_ZONE),
});
