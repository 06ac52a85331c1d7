import { randomBytes } from 'node:crypto';
import type { Pool } from '../../src/db/pool.ts';
import type { Desk } from '../../src/hands/account.ts';
import { providerHttp } from '../../src/providers/http.ts';
import { openVault } from '../../src/vault/vault.ts';

/** A desk with a key of its own, that may reach servers on this machine. */
export const testDesk = (pool: Pool): Desk => ({
  pool,
  vault: openVault(`k1:${randomBytes(32).toString('base64')}`),
  http: providerHttp(),
  baseUrls: new Map(),
  allowPrivate: true,
});
