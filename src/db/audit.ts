import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import type { Environment } from '../domain/connection/connection.ts';
import { pageOf, type PageRequest } from './page.ts';
import { none, sql, type Queryable } from './pool.ts';

/** Actions that only an administrator can take. Names never change, because the log outlives the code. */
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
  'tenant.suspended',
  'tenant.resumed',
  'tenant.deleted',
  'application.deleted',
  'hostname.blocked',
  'hostname.unblocked',
  'claim.released',
  'provider.paused',
  'provider.resumed',
  'plan.updated',
  'connection.updated',
  'certificate.uploaded',
  'certificate.requested',
  'certificate.removed',
  'edge.added',
  'edge.rekeyed',
  'edge.revoked',
  'edge.drained',
  'edge.restored',
  'edge_secret.created',
  'edge_secret.deleted',
  'target.added',
  'target.approved',
  'target.revoked',
  'console_session.created',
  'console_session.signed_in',
  'console_session.ended',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

const AuditRow = z.object({
  id: z.uuid(),
  environment: z.enum(['test', 'live']),
  created_at: z.date(),
  key_id: z.uuid().nullable(),
  session_id: z.uuid().nullable(),
  action: z.string(),
  target_id: z.uuid(),
  fields: z.array(z.string()),
  request_id: z.string().nullable(),
});
export type AuditRow = z.infer<typeof AuditRow>;

type Entry = Omit<AuditRow, 'id' | 'created_at' | 'action' | 'target_id' | 'session_id'> & {
  /** The console session that acted, if any. */
  session_id?: string | null;
  /** Null for an action that concerns no tenant. Only operators see such a row. */
  tenant_id: string | null;
  target_id: string | null;
  /** The object of an action if it has no id: a hostname, a provider. */
  target?: string;
  /** An operator's note for other operators. Tenants never see it. */
  reason?: string;
  action: AuditAction;
  now: Date;
};

/** Adds an entry in the transaction of the action, so that both are committed or neither is. */
export async function audit(tx: Queryable, entry: Entry): Promise<void> {
  await tx.query(sql.type(none)`
    INSERT INTO audit_log (
      id, tenant_id, environment, created_at, key_id, session_id, action, target_id, target, fields, request_id, reason)
    VALUES (${uuidv7()}, ${entry.tenant_id}, ${entry.environment}, ${sql.timestamp(entry.now)}, ${entry.key_id},
            ${entry.session_id ?? null}, ${entry.action}, ${entry.target_id}, ${entry.target ?? null}, ${sql.array([...entry.fields], 'text')},
            ${entry.request_id}, ${entry.reason ?? null})
  `);
}

/** Adds an entry for an operator's command, which has no API key and no request. */
export const auditOperator = (
  tx: Queryable,
  entry: Omit<Entry, 'key_id' | 'request_id' | 'environment' | 'fields'> & { environment?: Environment },
): Promise<void> => audit(tx, { environment: 'live', ...entry, key_id: null, request_id: null, fields: [] });

const OperatorAuditRow = AuditRow.extend({
  tenant_id: z.uuid().nullable(),
  target_id: z.uuid().nullable(),
  target: z.string().nullable(),
  reason: z.string().nullable(),
});
export type OperatorAuditRow = z.infer<typeof OperatorAuditRow>;

/** Returns the newest entries of all tenants, or of one, which may have been deleted. */
export const listAuditForOperator = (
  db: Queryable,
  tenantId: string | null,
  limit: number,
): Promise<readonly OperatorAuditRow[]> =>
  db.any(sql.type(OperatorAuditRow)`
    SELECT id, tenant_id, environment, created_at, key_id, session_id, action, target_id, target, fields, request_id, reason
    FROM audit_log WHERE ${tenantId === null ? sql.fragment`true` : sql.fragment`tenant_id = ${tenantId}`}
    ORDER BY ${tenantId === null ? sql.fragment`id DESC` : sql.fragment`created_at DESC, id DESC`} LIMIT ${limit}
  `);

export const listAudit = (
  db: Queryable,
  environments: readonly Environment[],
  page: PageRequest,
): Promise<readonly AuditRow[]> =>
  db.any(sql.type(AuditRow)`
    SELECT id, environment, created_at, key_id, session_id, action, target_id, fields, request_id FROM audit_log
    WHERE environment = ANY(${sql.array([...environments], 'text')}) AND ${pageOf(page)}
  `);
