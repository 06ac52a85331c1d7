import type { Pool } from '../db/pool.ts';
import { isWildcard } from '../domain/certificate/dns-validation.ts';
import { judgeCaa } from '../domain/observation/caa.ts';
import { diagnoseCaa } from '../domain/observation/caa-findings.ts';
import type { Observer } from '../domain/observation/observer.ts';
import { caaAccounts } from './accounts.ts';
import { OrderFailed } from './failure.ts';

export interface CaaSettings {
  /** Names of the CA in CAA records. */
  identities: readonly string[];
  /** The edge's accounts, which CAA may allow in place of ours. */
  edgeAccounts: readonly string[];
}

interface Parts {
  pool: Pool;
  observer: Pick<Observer, 'caa'>;
  caa: CaaSettings;
}

/** Ends an order that CAA forbids before the CA counts it. If CAA allows the edge, the edge takes over. */
export async function refuseByCaa(
  { pool, observer, caa: { identities, edgeAccounts } }: Parts,
  { hostname, directory }: { hostname: string; directory: string },
  signal: AbortSignal,
): Promise<void> {
  const set = await observer.caa(hostname, signal);
  const own = { identities, accounts: await caaAccounts(pool, directory, edgeAccounts) };
  const obstacle = diagnoseCaa(set, 'ordered', own).find(({ severity }) => severity === 'error');
  if (obstacle === undefined) return;
  const fallsBack = !isWildcard(hostname) && judgeCaa(set, 'edge', own).verdict !== 'blocked';
  throw new OrderFailed(obstacle, { fallsBack });
}
