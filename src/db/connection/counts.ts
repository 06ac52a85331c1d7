import { SERVING } from '../../domain/connection/state-sets.ts';
import { inStates } from '../state-list.ts';
import { z } from 'zod';
import { ENDS_IN_DAYS } from '../../domain/certificate/certificate.ts';
import { STATES } from '../../domain/connection/connection.ts';
import { sql, type Queryable } from '../pool.ts';

/** Counts for operators, over all tenants. Each query reads an index alone (0026), because it runs every minute. */

const Counted = z.object({ state: z.enum(STATES), provider: z.string().nullable(), count: z.number() });

/** Returns the number of connections that are not archived, by state and provider. */
export const countByProvider = (db: Queryable): Promise<readonly z.infer<typeof Counted>[]> =>
  db.any(sql.type(Counted)`
    SELECT state, provider, count(*) AS count FROM connections WHERE state <> 'archived' GROUP BY state, provider
  `);

const Ending = z.object({ bucket: z.number(), count: z.number() });

/** Returns the number of serving certificates by remaining days: one count for each of ENDS_IN_DAYS, and one beyond. */
export async function countCertificates(db: Queryable): Promise<readonly number[]> {
  const rows = await db.any(sql.type(Ending)`
    SELECT width_bucket(
        certificate_not_after,
        ARRAY(SELECT now() + days * interval '1 day' FROM unnest(${sql.array([...ENDS_IN_DAYS], 'int4')}) AS days)) AS bucket,
      count(*) AS count
    FROM connections WHERE state ${inStates(SERVING)} AND certificate_not_after IS NOT NULL
    GROUP BY bucket
  `);
  const counts = [...ENDS_IN_DAYS.map(() => 0), 0];
  for (const { bucket, count } of rows) counts[bucket] = count;
  return counts;
}
