import { z } from 'zod';
import { STANDINGS } from '../../domain/edge/admission.ts';
import { sql, type Queryable } from '../pool.ts';

/** Returns the newest ten connections of the hostname, of all tenants; archived ones last. */
export const connectionsOfName = (
  db: Queryable,
  hostname: string,
): Promise<readonly { id: string; tenant_id: string }[]> =>
  db.any(sql.type(z.object({ id: z.uuid(), tenant_id: z.uuid() }))`
    SELECT id, tenant_id FROM connections WHERE hostname = ${hostname}
    ORDER BY state = 'archived', created_at DESC, id DESC LIMIT 10
  `);

const AdmissionOfName = z.object({
  standing: z.enum(STANDINGS),
  connection_id: z.uuid(),
  origin_url: z.string().nullable(),
  suspended: z.boolean(),
  blocked: z.string().nullable(),
});
export type AdmissionOfName = z.infer<typeof AdmissionOfName>;

/** Returns the admission that edges have for the hostname; null if it was never proved. */
export const admissionOfName = (db: Queryable, hostname: string): Promise<AdmissionOfName | null> =>
  db.maybeOne(sql.type(AdmissionOfName)`
    SELECT standing, connection_id, origin_url, coalesce(suspended, false) AS suspended,
      (SELECT reason FROM blocked_hostnames WHERE blocked_hostnames.hostname = admissions.hostname) AS blocked
    FROM admissions LEFT JOIN admission_origins USING (application_id) WHERE hostname = ${hostname}
  `);

const RecentDelivery = z.object({
  id: z.uuid(),
  event_type: z.string(),
  status: z.string(),
  attempts: z.number(),
  last_attempt_at: z.date().nullable(),
  next_attempt_at: z.date().nullable(),
});
export type RecentDelivery = z.infer<typeof RecentDelivery>;

export const recentDeliveries = (db: Queryable, connectionId: string): Promise<readonly RecentDelivery[]> =>
  db.any(sql.type(RecentDelivery)`
    SELECT delivery.id, event_type, status, attempts, last_attempt_at, next_attempt_at
    FROM events JOIN webhook_deliveries AS delivery ON delivery.event_id = events.id
    WHERE events.connection_id = ${connectionId}
    ORDER BY sequence DESC, delivery.id LIMIT 5
  `);
