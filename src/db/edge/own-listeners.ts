import type { Pool as PgPool } from 'pg';
import { z } from 'zod';

/** Time after which a silent process no longer counts as listening. */
const EXPIRES_AFTER = `interval '10 minutes'`;
const RENEWED_AFTER = `interval '1 minute'`;

const Rows = z.array(z.object({ endpoints: z.array(z.string()) }));

/** Publishes the addresses at which a process listens, each as `address port`, and returns those of all others. */
export async function swapListeners(pool: PgPool, process: string, endpoints: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query({
    name: 'swap-listeners',
    text: `WITH mine AS (
             INSERT INTO own_listeners AS known (process, endpoints, seen_at) VALUES ($1, $2, clock_timestamp())
             ON CONFLICT (process) DO UPDATE SET endpoints = $2, seen_at = clock_timestamp()
             WHERE known.endpoints <> $2 OR known.seen_at < clock_timestamp() - ${RENEWED_AFTER}
           ), expired AS (
             DELETE FROM own_listeners WHERE process <> $1 AND seen_at < clock_timestamp() - ${EXPIRES_AFTER}
           )
           SELECT endpoints FROM own_listeners
           WHERE process <> $1 AND seen_at >= clock_timestamp() - ${EXPIRES_AFTER}`,
    values: [process, endpoints],
  });
  return Rows.parse(rows).flatMap((row) => row.endpoints);
}

export async function withdrawListeners(pool: PgPool, process: string): Promise<void> {
  await pool.query('DELETE FROM own_listeners WHERE process = $1', [process]);
}
