import { ConfigError, type Config } from '../config.ts';
import type { Pool } from '../db/pool.ts';
import type { Observer } from '../domain/observation/observer.ts';
import { createHttpsJson } from '../net/https-json.ts';
import type { DialPolicy } from '../net/safe-dial.ts';
import { sharedAllowances } from '../provisioning/request-allowances.ts';
import { readBootstrap } from '../registrations/bootstrap.ts';
import type { Registrations } from '../registrations/check.ts';

interface Parts {
  pool: Pool;
  observer: Observer;
  dial: DialPolicy;
}

const LIMITS = { accept: 'application/rdap+json', maxBytes: 512 * 1_024, timeLimitMs: 10_000 };

/** Opens the checks of registrations; null if they are off. Refuses a file that it cannot read. */
export async function openRegistrations(
  { RDAP_BOOTSTRAP_FILE: bootstrapFile }: Config,
  { pool, observer, dial }: Parts,
): Promise<Registrations | null> {
  if (bootstrapFile === undefined) return null;
  await readBootstrap(bootstrapFile).catch((error: unknown) => {
    throw new ConfigError(`RDAP_BOOTSTRAP_FILE: ${error instanceof Error ? error.message : 'cannot be read'}`);
  });
  return {
    pool,
    bootstrapFile,
    http: createHttpsJson(dial, {}, LIMITS),
    allowances: sharedAllowances(pool),
    async isDenied(domain, signal) {
      const { registered } = await observer.observeZone(domain, signal);
      return registered === null ? null : !registered;
    },
    clock: () => new Date(),
  };
}
