import { z } from 'zod';
import { sql, type Queryable } from './pool.ts';

/** Whether this process should do a recurring task now. One process gets each turn. */
export async function takeDuty(db: Queryable, name: string, everyMs: number): Promise<boolean> {
  const taken = await db.maybeOneFirst(sql.type(z.object({ name: z.string() }))`
    INSERT INTO duties (name, taken_at) VALUES (${name}, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET taken_at = excluded.taken_at
      WHERE duties.taken_at <= excluded.taken_at - ${everyMs} * interval '1 millisecond'
    RETURNING name
  `);
  return taken !== null;
}
