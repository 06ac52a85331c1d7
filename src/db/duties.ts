import { z } from 'zod';
import { sql, type Queryable } from './pool.ts';

/**
 * Whether this process is to do a piece of work that recurs: one process at a time is, and none until the time is over. A
 * process that dies in the middle leaves the work to the next one whose turn comes.
 */
export async function takeDuty(db: Queryable, name: string, everyMs: number): Promise<boolean> {
  const taken = await db.maybeOneFirst(sql.type(z.object({ name: z.string() }))`
    INSERT INTO duties (name, taken_at) VALUES (${name}, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET taken_at = excluded.taken_at
      WHERE duties.taken_at <= excluded.taken_at - ${everyMs} * interval '1 millisecond'
    RETURNING name
  `);
  return taken !== null;
}
