import { RETRIES_REFUSED_WRITE } from '../../domain/connection/state-sets.ts';
import { inStates } from '../state-list.ts';
import { z } from 'zod';
import { none, sql, type Queryable, type Tx } from '../pool.ts';

const PausedProvider = z.object({ provider: z.string(), reason: z.string(), paused_at: z.date() });
export type PausedProvider = z.infer<typeof PausedProvider>;

/** Pauses a provider. One that is paused already keeps its date and gets the new reason. */
export async function pauseProvider(tx: Tx, { provider, reason, paused_at }: PausedProvider): Promise<void> {
  await tx.query(sql.type(none)`
    INSERT INTO paused_providers (provider, reason, paused_at)
    VALUES (${provider}, ${reason}, ${sql.timestamp(paused_at)})
    ON CONFLICT (provider) DO UPDATE SET reason = excluded.reason
  `);
}

/** Resumes a provider. Connections that were set up manually meanwhile, without a refusal, may be written again. */
export async function resumeProvider(tx: Tx, provider: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(none)`DELETE FROM paused_providers WHERE provider = ${provider}`);
  await tx.query(sql.type(none)`
    UPDATE connections SET credential_id = NULL
    WHERE setup_type = 'manual' AND (error_code IS NULL OR error_code = 'dns_write_failed')
      AND state ${inStates(RETRIES_REFUSED_WRITE)}
      AND credential_id IN (SELECT id FROM credentials WHERE credentials.provider = ${provider})
  `);
  return rowCount > 0;
}

export const isPaused = (db: Queryable, provider: string): Promise<boolean> =>
  db.exists(sql.type(none)`SELECT FROM paused_providers WHERE provider = ${provider}`);

export const pausedProviders = (db: Queryable): Promise<readonly PausedProvider[]> =>
  db.any(sql.type(PausedProvider)`SELECT provider, reason, paused_at FROM paused_providers ORDER BY provider`);

/** While a provider is paused, its credentials are kept but not used. */
export const isUsable = sql.fragment`NOT EXISTS (
  SELECT FROM paused_providers WHERE paused_providers.provider = credentials.provider)`;
