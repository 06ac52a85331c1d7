import { ConfigError, type Config } from '../config.ts';
import { findPlan } from '../db/billing/plans.ts';
import type { Pool } from '../db/pool.ts';

/** Returns the plan of new tenants, after checking that it exists. */
export async function defaultPlan(pool: Pool, { DEFAULT_PLAN }: Pick<Config, 'DEFAULT_PLAN'>): Promise<string> {
  if ((await findPlan(pool, DEFAULT_PLAN)) === null)
    throw new ConfigError(`DEFAULT_PLAN: there is no plan "${DEFAULT_PLAN}"; npm run -s cli -- plan list shows them.`);
  return DEFAULT_PLAN;
}
