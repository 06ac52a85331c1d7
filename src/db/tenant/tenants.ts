import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import { SCOPES } from '../../domain/scope.ts';
import { createApplication } from './applications.ts';
import { audit } from '../audit.ts';
import { createKey } from './keys.ts';
import { none, sql, type Pool, type Queryable } from '../pool.ts';

/** A new tenant with an application and a key in each environment. */
export interface NewTenant {
  tenant_id: string;
  test: { application_id: string; key: string };
  live: { application_id: string; key: string };
}

/** Creates a tenant with its first keys. HTTP cannot create them, because every request needs a key. */
export function createTenant(pool: Pool, name: string, plan = 'unlimited'): Promise<NewTenant> {
  return pool.transaction(async (tx) => {
    const tenant_id = uuidv7();
    await tx.query(sql.type(none)`INSERT INTO tenants (id, name, plan_id) VALUES (${tenant_id}, ${name}, ${plan})`);
    const begin = async (environment: 'test' | 'live') => {
      const application = await createApplication(tx, { tenant_id, name: `${name} (${environment})`, environment });
      const { secret } = await createKey(tx, {
        tenant_id,
        application_id: application.id,
        environment,
        name: 'first key',
        scopes: SCOPES,
      });
      return { application_id: application.id, key: secret };
    };
    await audit(tx, {
      tenant_id,
      environment: 'live',
      key_id: null,
      action: 'tenant.created',
      target_id: tenant_id,
      fields: ['name'],
      request_id: null,
      now: new Date(),
    });
    return { tenant_id, test: await begin('test'), live: await begin('live') };
  });
}

const TenantRow = z.object({
  id: z.uuid(),
  name: z.string(),
  created_at: z.date(),
  plan_id: z.string(),
  suspended_at: z.date().nullable(),
});

export const listTenants = (db: Queryable): Promise<readonly z.infer<typeof TenantRow>[]> =>
  db.any(sql.type(TenantRow)`
    SELECT id, name, created_at, plan_id, suspended_at FROM tenants ORDER BY created_at, id
  `);

export const getTenant = (db: Queryable, id: string): Promise<z.infer<typeof TenantRow> | null> =>
  db.maybeOne(sql.type(TenantRow)`
    SELECT id, name, created_at, plan_id, suspended_at FROM tenants WHERE id = ${id}
  `);
