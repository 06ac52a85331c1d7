import { z } from 'zod';
import { sql, type Tx } from '../db/pool.ts';

/** Waits until no other transaction of the whole installation holds this key, and holds it until this one ends. */
export async function holdLock(tx: Tx, key: string): Promise<void> {
  await tx.query(sql.type(z.object({ locked: z.unknown() }))`
    SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0)) AS locked
  `);
}
