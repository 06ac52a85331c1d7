import { z } from 'zod';
import { none, sql, type Queryable, type Tx } from '../pool.ts';

/** Tenants that the operator has suspended, and hostnames that the operator has blocked. */

const SuspendedTenant = z.object({
  id: z.uuid(),
  name: z.string(),
  suspended_at: z.date().nullable(),
  suspended_reason: z.string().nullable(),
});
type SuspendedTenant = z.infer<typeof SuspendedTenant>;

/** Suspends a tenant; null if it does not exist. One that is suspended keeps its date and gets the new reason. */
export const suspendTenant = (tx: Tx, id: string, reason: string, now: Date): Promise<SuspendedTenant | null> =>
  tx.maybeOne(sql.type(SuspendedTenant)`
    UPDATE tenants SET suspended_at = coalesce(suspended_at, ${sql.timestamp(now)}), suspended_reason = ${reason}
    WHERE id = ${id} RETURNING id, name, suspended_at, suspended_reason
  `);

export const resumeTenant = (tx: Tx, id: string): Promise<SuspendedTenant | null> =>
  tx.maybeOne(sql.type(SuspendedTenant)`
    UPDATE tenants SET suspended_at = NULL, suspended_reason = NULL
    WHERE id = ${id} RETURNING id, name, suspended_at, suspended_reason
  `);

export const suspendedTenants = (db: Queryable): Promise<readonly SuspendedTenant[]> =>
  db.any(sql.type(SuspendedTenant)`
    SELECT id, name, suspended_at, suspended_reason FROM tenants WHERE suspended_at IS NOT NULL ORDER BY suspended_at, id
  `);

const BlockedHostname = z.object({ hostname: z.string(), reason: z.string(), blocked_at: z.date() });
export type BlockedHostname = z.infer<typeof BlockedHostname>;

export async function blockHostname(tx: Tx, { hostname, reason, blocked_at }: BlockedHostname): Promise<void> {
  await tx.query(sql.type(none)`
    INSERT INTO blocked_hostnames (hostname, reason, blocked_at)
    VALUES (${hostname}, ${reason}, ${sql.timestamp(blocked_at)})
    ON CONFLICT (hostname) DO UPDATE SET reason = excluded.reason
  `);
}

/** Returns whether the hostname was blocked. */
export const unblockHostname = async (tx: Tx, hostname: string): Promise<boolean> =>
  (await tx.query(sql.type(none)`DELETE FROM blocked_hostnames WHERE hostname = ${hostname}`)).rowCount > 0;

export const blockedHostnames = (db: Queryable): Promise<readonly BlockedHostname[]> =>
  db.any(sql.type(BlockedHostname)`
    SELECT hostname, reason, blocked_at FROM blocked_hostnames ORDER BY blocked_at DESC, hostname LIMIT 200
  `);

export const blockedAmong = async (db: Queryable, hostnames: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set(
    await db.anyFirst(sql.type(z.object({ hostname: z.string() }))`
      SELECT hostname FROM blocked_hostnames WHERE hostname = ANY(${sql.array([...hostnames], 'text')})
    `),
  );

const Blocks = z.object({ suspended: z.boolean(), blocked: z.boolean() });

/** Returns the reason why the edge does not serve a connection regardless of its state; null if there is none. */
export async function whyBlocked(
  db: Queryable,
  { tenant_id, hostname }: { tenant_id: string; hostname: string },
): Promise<string | null> {
  const { suspended, blocked } = await db.one(sql.type(Blocks)`
    SELECT EXISTS (SELECT FROM tenants WHERE id = ${tenant_id} AND suspended_at IS NOT NULL) AS suspended,
           EXISTS (SELECT FROM blocked_hostnames WHERE hostname = ${hostname}) AS blocked
  `);
  if (suspended) return 'The account is suspended by the operator of this service.';
  return blocked ? `${hostname} is blocked by the operator of this service.` : null;
}
