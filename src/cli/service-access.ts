import { join, resolve } from 'node:path';
import { z } from 'zod';
import { parseConfig, readEnvironment, type Config } from '../config.ts';
import { createPool, type Pool } from '../db/pool.ts';
import { runningServers } from '../embedded/orphans.ts';
import { defaultDataDir } from '../embedded/folders.ts';
import { localKeys, readJson } from '../main/local-keys.ts';
import { CommandError } from './errors.ts';

/** Addresses of the service, read from demo.json. */
const Addresses = z.object({
  base_url: z.string(),
  internal_url: z.string(),
  temporal_address: z.string().nullable(),
  temporal_ui_url: z.string().nullable(),
  edge_https_url: z.string().nullable(),
  edge_ca_file: z.string().nullable(),
});
export type Addresses = z.infer<typeof Addresses>;

export interface ServiceAccess {
  pool: Pool;
  databaseUrl: string;
  addresses: Addresses;
  config: Config;
  env: NodeJS.ProcessEnv;
  /** The operator's CREDENTIAL_KEYS, or the keys that `npm start` created. */
  credentialKeys: string | undefined;
}

/** Opens the database in DATABASE_URL, or that of the `npm start` in this data folder. Never starts a service. */
export async function openServiceAccess(): Promise<ServiceAccess> {
  const env = readEnvironment();
  const config = parseConfig(env);
  const dataDir = resolve(config.DATA_DIR ?? defaultDataDir());
  const running = await runningServers(dataDir);
  const { WORKER_DATABASE_URL, DATABASE_URL, MIGRATION_DATABASE_URL } = config;
  const databaseUrl = WORKER_DATABASE_URL ?? DATABASE_URL ?? MIGRATION_DATABASE_URL ?? running?.database_url;
  if (databaseUrl === undefined)
    throw new CommandError(`No service runs in ${dataDir}. Start one with npm start, or set DATABASE_URL.`);
  const demo = running?.database_url === databaseUrl ? await readJson(join(dataDir, 'demo.json')) : undefined;
  const addresses = Addresses.safeParse(demo);
  return {
    config,
    env,
    databaseUrl,
    credentialKeys: config.CREDENTIAL_KEYS ?? (running ? (await localKeys(dataDir)).CREDENTIAL_KEYS : undefined),
    pool: await createPool(databaseUrl, { max: 2, name: 'cli' }),
    addresses: addresses.success
      ? addresses.data
      : {
          base_url: config.baseUrl,
          internal_url: config.internalUrl,
          temporal_address: config.TEMPORAL_ADDRESS ?? null,
          temporal_ui_url: config.TEMPORAL_UI_URL ?? null,
          edge_https_url: null,
          edge_ca_file: null,
        },
  };
}
