import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import type { Environment } from '../domain/connection.ts';
import { pageOf, type PageRequest } from './page.ts';
import { none, sql, type Queryable } from './pool.ts';

/** Mutations that only an administrator can make. Names are for ever: the log outlives the code. */
export const AUDIT_ACTIONS = [
  'tenant.created',
  'application.created',
  'application.updated',
  'key.created',
  'key.revoked',
  'credential.created',
  'credential.updated',
  'credential.deleted',
  'webhook_endpoint.created',
  'webhook_endpoint.updated',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.deleted',
  'subscription.chosen',
  'tenant.plan_set',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

const AuditRow = z.object({
  id: z.uuid(),
  environment: z.enum(['test', 'live']),
  created_at: z.date(),
  key_id: z.uuid().nullable(),
  action: z.string(),
  target_id: z.uuid(),
  fields: z.array(z.string()),
  request_id: z.string().nullable(),
});
export type AuditRow = z.infer<typeof AuditRow>;

/** Part of the transaction that it tells of: what did not happen leaves no trace, what happened always does. */
export async function audit(
  tx: Queryable,
  entry: Omit<AuditRow, 'id' | 'created_at' | 'action'> & { tenant_id: string; action: AuditAction; now: Date },
): Promise<void> {
  await tx.query(sql.type(none)`
    INSERT INTO audit_log (id, tenant_id, environment, created_at, key_id, action, target_id, fields, request_id)
    VALUES (${uuidv7()}, ${entry.tenant_id}, ${entry.environment}, ${sql.timestamp(entry.now)}, ${entry.key_id},
            ${entry.action}, ${entry.target_id}, ${sql.array([...entry.fields], 'text')}, ${entry.request_id})
  `);
}

export const listAudit = (
  db: Queryable,
  environments: readonly Environment[],
  page: PageRequest,
): Promise<readonly AuditRow[]> =>
  db.any(sql.type(AuditRow)`
    SELECT id, environment, created_at, key_id, action, target_id, fields, request_id FROM audit_log
    WHERE environment = ANY(${sql.array([...environments], 'text')}) AND ${pageOf(page)}
  `);
