import { z } from 'zod';
import { RECORD_TYPES } from '../../domain/record.ts';
import type { MailSituation } from '../../domain/email/email-plan.ts';
import { jsonOf, none, sql, type Queryable } from '../pool.ts';

/** The mail records of a connection's domain, as they were last observed. */
export const StoredMail = z.object({
  observed_at: z.coerce.date(),
  records: z.array(
    z.object({
      host: z.string(),
      type: z.enum(RECORD_TYPES),
      value: z.string(),
      priority: z.number().nullable(),
    }),
  ),
  unknown: z.array(z.string()),
});
export type StoredMail = z.infer<typeof StoredMail>;

/** Replaces the last observation of the domain's mail records. */
export async function recordMail(
  db: Queryable,
  { id, tenant_id }: { id: string; tenant_id: string },
  { current, unknown }: MailSituation,
  now: Date,
): Promise<void> {
  await db.query(sql.type(none)`
    INSERT INTO mail_observations (connection_id, tenant_id, observed_at, records, unknown)
    VALUES (${id}, ${tenant_id}, ${sql.timestamp(now)}, ${sql.jsonb(jsonOf(current))}, ${sql.array([...unknown], 'text')})
    ON CONFLICT (connection_id) DO UPDATE SET
      observed_at = excluded.observed_at, records = excluded.records, unknown = excluded.unknown
  `);
}
