import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import type { Environment } from '../domain/connection.ts';
import { RECORD_TYPES } from '../domain/record.ts';
import { sql, type Queryable } from './pool.ts';

export const ApplicationRow = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  name: z.string(),
  environment: z.enum(['test', 'live']),
  allowed_origins: z.array(z.string()),
  record_template: z.array(
    z.object({
      host: z.string(),
      type: z.enum(RECORD_TYPES),
      value: z.string(),
      ttl: z.number().exactOptional(),
      priority: z.number().nullable().exactOptional(),
      when: z.enum(['apex', 'subdomain']).exactOptional(),
    }),
  ),
  origin_url: z.string().nullable(),
  conflict_policy: z.enum(['refuse', 'replace']),
  drift_policy: z.enum(['notify', 'repair']),
  offboarding: z.enum(['remove_records', 'keep_records']),
  widget_email: z.boolean(),
  created_at: z.date(),
});
export type ApplicationRow = z.infer<typeof ApplicationRow>;

const columns = sql.fragment`
  id, tenant_id, name, environment, allowed_origins, record_template, origin_url, conflict_policy, drift_policy,
  offboarding, widget_email, created_at
`;

export const createApplication = (
  db: Queryable,
  application: { tenant_id: string; name: string; environment: Environment },
): Promise<ApplicationRow> =>
  db.one(sql.type(ApplicationRow)`
    INSERT INTO applications (id, tenant_id, name, environment)
    VALUES (${uuidv7()}, ${application.tenant_id}, ${application.name}, ${application.environment})
    RETURNING ${columns}
  `);

export const getApplication = (db: Queryable, id: string): Promise<ApplicationRow | null> =>
  db.maybeOne(sql.type(ApplicationRow)`SELECT ${columns} FROM applications WHERE id = ${id}`);
