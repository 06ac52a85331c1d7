import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { PROVED } from '../../domain/connection/state-sets.ts';
import { none, sql, type Queryable, type Tx } from '../pool.ts';
import { inStates } from '../state-list.ts';

const CnameTarget = z.object({
  tenant_id: z.uuid(),
  hostname: z.string(),
  challenge_token: z.string(),
  created_at: z.date(),
  /** Null until the operator has approved it. */
  approved_at: z.date().nullable(),
});
export type CnameTarget = z.infer<typeof CnameTarget>;

const columns = sql.fragment`tenant_id, hostname, challenge_token, created_at, approved_at`;

/** Adds a target with a challenge, or returns the one that was added before. */
export async function addTarget(tx: Tx, tenantId: string, hostname: string, now: Date): Promise<CnameTarget> {
  await tx.query(sql.type(none)`
    INSERT INTO cname_targets (tenant_id, hostname, challenge_token, created_at)
    VALUES (${tenantId}, ${hostname}, ${randomBytes(32).toString('base64url')}, ${sql.timestamp(now)})
    ON CONFLICT (tenant_id, hostname) DO NOTHING
  `);
  return tx.one(sql.type(CnameTarget)`
    SELECT ${columns} FROM cname_targets WHERE tenant_id = ${tenantId} AND hostname = ${hostname}
  `);
}

export const findTarget = (db: Queryable, tenantId: string, hostname: string): Promise<CnameTarget | null> =>
  db.maybeOne(sql.type(CnameTarget)`
    SELECT ${columns} FROM cname_targets WHERE tenant_id = ${tenantId} AND hostname = ${hostname}
  `);

/** Returns the tenant that has an approved target of this name. */
export const approvedFor = (db: Queryable, hostname: string): Promise<string | null> =>
  db.maybeOneFirst(sql.type(z.object({ tenant_id: z.uuid() }))`
    SELECT tenant_id FROM cname_targets WHERE hostname = ${hostname} AND approved_at IS NOT NULL
  `);

/** Approves the target. Returns null if it was revoked meanwhile. */
export const approveTarget = (
  tx: Tx,
  { tenant_id, hostname, challenge_token }: CnameTarget,
  now: Date,
): Promise<CnameTarget | null> =>
  tx.maybeOne(sql.type(CnameTarget)`
    UPDATE cname_targets SET approved_at = coalesce(approved_at, ${sql.timestamp(now)})
    WHERE tenant_id = ${tenant_id} AND hostname = ${hostname} AND challenge_token = ${challenge_token}
    RETURNING ${columns}
  `);

/** Deletes the target. Hostnames with a CNAME to it are no longer proved. Returns false if there is none. */
export async function deleteTarget(tx: Tx, tenantId: string, hostname: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(none)`
    DELETE FROM cname_targets WHERE tenant_id = ${tenantId} AND hostname = ${hostname}
  `);
  return rowCount > 0;
}

export const listTargets = (db: Queryable): Promise<readonly (CnameTarget & { connections: number })[]> =>
  db.any(sql.type(CnameTarget.extend({ connections: z.number() }))`
    SELECT ${columns}, (
      SELECT count(*) FROM connections
      WHERE connections.tenant_id = cname_targets.tenant_id AND proof_target = cname_targets.hostname
        AND proof = 'cname_target' AND state ${inStates(PROVED)}) AS connections
    FROM cname_targets ORDER BY hostname, tenant_id
  `);

/** Whether the tenant's target is approved. The lock keeps it approved until commit. */
export async function isTargetApproved(
  db: Queryable,
  tenantId: string,
  hostname: string,
  { lock = false } = {},
): Promise<boolean> {
  const approved = await db.maybeOne(sql.type(CnameTarget)`
    SELECT ${columns} FROM cname_targets
    WHERE tenant_id = ${tenantId} AND hostname = ${hostname} AND approved_at IS NOT NULL
    ${lock ? sql.fragment`FOR SHARE` : sql.fragment``}
  `);
  return approved !== null;
}

/** Returns the next connections whose claim the target proves. */
export const provedByTarget = (db: Queryable, tenantId: string, hostname: string): Promise<readonly string[]> =>
  db.anyFirst(sql.type(z.object({ id: z.uuid() }))`
    SELECT id FROM connections
    WHERE tenant_id = ${tenantId} AND proof_target = ${hostname} AND proof = 'cname_target'
      AND state ${inStates(PROVED)}
    ORDER BY id LIMIT 200
  `);
