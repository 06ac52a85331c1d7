import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import type { Environment } from '../../domain/connection/connection.ts';
import { RECORD_TYPES } from '../../domain/record.ts';
import { pageOf, type PageRequest } from '../page.ts';
import { jsonOf, none, sql, type Queryable, type Tx } from '../pool.ts';

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
      required: z.boolean().exactOptional(),
    }),
  ),
  origin_url: z.string().nullable(),
  display_name: z.string().nullable(),
  logo_url: z.string().nullable(),
  support_url: z.string().nullable(),
  conflict_policy: z.enum(['refuse', 'replace']),
  drift_policy: z.enum(['notify', 'repair']),
  offboarding: z.enum(['remove_records', 'keep_records']),
  /** Treatment of mail records that we wrote, when their connection is archived. */
  offboarding_email: z.enum(['keep', 'remove']),
  companion: z.boolean(),
  /** Whether certificates are ordered before the records that point here change, where that is possible. */
  before_dns: z.boolean(),
  sandbox_speed: z.number().nullable(),
  created_at: z.date(),
});
export type ApplicationRow = z.infer<typeof ApplicationRow>;

export const applicationColumns = sql.fragment`
  id, tenant_id, name, environment, allowed_origins, record_template, origin_url, display_name, logo_url, support_url,
  conflict_policy, drift_policy, offboarding, offboarding_email, companion, before_dns, sandbox_speed,
  created_at
`;

/** Settings of a caller. Absent fields get defaults on creation and stay unchanged on update. */
export type ApplicationSettings = Partial<
  Pick<
    ApplicationRow,
    | 'name'
    | 'allowed_origins'
    | 'record_template'
    | 'origin_url'
    | 'display_name'
    | 'logo_url'
    | 'support_url'
    | 'conflict_policy'
    | 'drift_policy'
    | 'offboarding'
    | 'offboarding_email'
    | 'companion'
    | 'before_dns'
    | 'sandbox_speed'
  >
>;

const DEFAULTS = {
  allowed_origins: [],
  record_template: [],
  origin_url: null,
  display_name: null,
  logo_url: null,
  support_url: null,
  conflict_policy: 'refuse',
  drift_policy: 'notify',
  offboarding: 'remove_records',
  offboarding_email: 'keep',
  companion: false,
  before_dns: false,
  sandbox_speed: null,
} as const satisfies ApplicationSettings;

export function createApplication(
  db: Queryable,
  application: { tenant_id: string; environment: Environment } & ApplicationSettings & { name: string },
): Promise<ApplicationRow> {
  const made = { ...DEFAULTS, ...application };
  return db.one(sql.type(ApplicationRow)`
    INSERT INTO applications (
      id, tenant_id, name, environment, allowed_origins, record_template, origin_url, display_name, logo_url,
      support_url, conflict_policy, drift_policy, offboarding, offboarding_email, companion, before_dns, sandbox_speed)
    VALUES (
      ${uuidv7()}, ${made.tenant_id}, ${made.name}, ${made.environment}, ${sql.array([...made.allowed_origins], 'text')},
      ${sql.jsonb(jsonOf(made.record_template))}, ${made.origin_url}, ${made.display_name}, ${made.logo_url},
      ${made.support_url}, ${made.conflict_policy},
      ${made.drift_policy}, ${made.offboarding}, ${made.offboarding_email}, ${made.companion},
      ${made.before_dns}, ${made.sandbox_speed})
    RETURNING ${applicationColumns}
  `);
}

/** The row must be locked; otherwise concurrent changes are lost. */
export function updateApplication(
  db: Queryable,
  locked: ApplicationRow,
  settings: ApplicationSettings,
): Promise<ApplicationRow> {
  const next = { ...locked, ...settings };
  return db.one(sql.type(ApplicationRow)`
    UPDATE applications SET
      name = ${next.name},
      allowed_origins = ${sql.array(next.allowed_origins, 'text')},
      record_template = ${sql.jsonb(jsonOf(next.record_template))},
      origin_url = ${next.origin_url},
      display_name = ${next.display_name},
      logo_url = ${next.logo_url},
      support_url = ${next.support_url},
      conflict_policy = ${next.conflict_policy},
      drift_policy = ${next.drift_policy},
      offboarding = ${next.offboarding},
      offboarding_email = ${next.offboarding_email},
      companion = ${next.companion},
      before_dns = ${next.before_dns},
      sandbox_speed = ${next.sandbox_speed}
    WHERE id = ${locked.id}
    RETURNING ${applicationColumns}
  `);
}

export const getApplication = (db: Queryable, id: string): Promise<ApplicationRow | null> =>
  db.maybeOne(sql.type(ApplicationRow)`SELECT ${applicationColumns} FROM applications WHERE id = ${id}`);

/** Locks the row, so that two changes cannot undo each other. */
export const lockApplication = (tx: Tx, id: string): Promise<ApplicationRow | null> =>
  tx.maybeOne(sql.type(ApplicationRow)`SELECT ${applicationColumns} FROM applications WHERE id = ${id} FOR UPDATE`);

export const listApplications = (
  db: Queryable,
  environments: readonly Environment[],
  page: PageRequest,
): Promise<readonly ApplicationRow[]> =>
  db.any(sql.type(ApplicationRow)`
    SELECT ${applicationColumns} FROM applications
    WHERE environment = ANY(${sql.array([...environments], 'text')}) AND ${pageOf(page)}
  `);

export async function setOriginUrl(db: Queryable, id: string, originUrl: string): Promise<void> {
  await db.query(sql.type(none)`UPDATE applications SET origin_url = ${originUrl} WHERE id = ${id}`);
}
