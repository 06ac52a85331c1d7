import { SERVING } from '../../domain/connection/state-sets.ts';
import { inStates } from '../state-list.ts';
import { z } from 'zod';
import { COUNTED_KINDS, periodAt, type CountedKind, type Period } from '../../domain/billing/usage.ts';
import { jsonOf, none, sql, type Fragment, type Pool, type Queryable, type Tx } from '../pool.ts';

/** Returns the first day of the period, which identifies it in `usage_counters`. */
export const dayOf = ({ start }: Period): string => start.toISOString().slice(0, 10);

/** Expression: how many connects of the month the plan's limit sees, of both environments. */
export const connectsOf = (tenantId: Fragment, now: Date): Fragment => sql.fragment`(
  SELECT coalesce(sum(quantity), 0)::bigint FROM usage_counters AS counter
  WHERE counter.tenant_id = ${tenantId} AND counter.application_id IS NULL AND period = ${dayOf(periodAt(now))}
    AND counter.kind IN ('connect', 'test_connect'))`;

/** Returns how many connects of the month the plan's limit sees, as far as they are committed. */
export const usedConnects = (db: Queryable, tenantId: string, now: Date): Promise<number> =>
  db.oneFirst(sql.type(z.object({ quantity: z.number() }))`
    SELECT ${connectsOf(sql.fragment`${tenantId}`, now)} AS quantity
  `);

/**
 * Returns the count and locks it until commit, so that concurrent creates cannot exceed the limit together. Both
 * counters are written, because only written rows return what other transactions have committed meanwhile.
 */
export async function holdConnects(tx: Tx, tenantId: string, now: Date): Promise<number> {
  const counters = await tx.anyFirst(sql.type(z.object({ quantity: z.number() }))`
    INSERT INTO usage_counters AS counter (tenant_id, application_id, period, kind, quantity)
    SELECT ${tenantId}::uuid, NULL, ${dayOf(periodAt(now))}::date, kind, 0
    FROM unnest(ARRAY['connect', 'test_connect']) AS kind
    ON CONFLICT (tenant_id, period, kind, application_id) DO UPDATE SET quantity = counter.quantity
    RETURNING quantity
  `);
  return counters.reduce((sum, quantity) => sum + quantity, 0);
}

const Counter = z.object({ kind: z.enum(COUNTED_KINDS), quantity: z.number() });

/** Returns the month's counters of a tenant, or of one application. The current month includes what serves now. */
export async function readUsage(
  db: Queryable,
  {
    tenantId,
    applicationId,
    period,
    now,
  }: { tenantId: string; applicationId: string | null; period: Period; now: Date },
): Promise<Record<CountedKind, number>> {
  const isNow = periodAt(now).id === period.id;
  const rows = await db.any(sql.type(Counter)`
    SELECT kind, max(quantity) AS quantity FROM (
      SELECT kind, quantity FROM usage_counters
      WHERE tenant_id = ${tenantId} AND application_id IS NOT DISTINCT FROM ${applicationId}::uuid AND period = ${dayOf(period)}
      UNION ALL
      SELECT 'active_domain', domains FROM active_domains
      WHERE tenant_id = ${tenantId} AND application_id IS NOT DISTINCT FROM ${applicationId}::uuid AND ${isNow}
    ) AS counted GROUP BY kind
  `);
  const nothing = { connect: 0, active_domain: 0, cert: 0, api_call: 0, test_connect: 0 };
  return { ...nothing, ...Object.fromEntries(rows.map(({ kind, quantity }) => [kind, quantity])) };
}

/** Starts a month with the number of domains that serve at its beginning. */
export async function beginPeriod(db: Queryable, now: Date): Promise<void> {
  await db.query(sql.type(none)`
    INSERT INTO usage_counters AS counter (tenant_id, application_id, period, kind, quantity)
    SELECT tenant_id, application_id, ${dayOf(periodAt(now))}::date, 'active_domain', domains
    FROM active_domains WHERE domains > 0 ORDER BY tenant_id, application_id NULLS FIRST
    ON CONFLICT (tenant_id, period, kind, application_id)
    DO UPDATE SET quantity = greatest(counter.quantity, excluded.quantity) WHERE counter.quantity < excluded.quantity
  `);
}

export interface ApiCalls {
  tenant_id: string;
  application_id: string;
  /** First day of the month. */
  period: string;
  quantity: number;
}

/** Adds the API calls that a process has counted since its last report. A repeated report changes nothing. */
export async function recordApiCalls(
  db: Queryable,
  process: string,
  sequence: number,
  counts: readonly ApiCalls[],
): Promise<void> {
  await db.query(sql.type(z.object({ note_api_calls: z.unknown() }))`
    SELECT note_api_calls(${process}::uuid, ${sequence}, ${sql.jsonb(jsonOf(counts))})
  `);
}

const Report = z.object({
  tenant_id: z.uuid(),
  tenant: z.string(),
  application_id: z.uuid().nullable(),
  kind: z.enum(COUNTED_KINDS),
  quantity: z.number(),
});
export type UsageReport = z.infer<typeof Report>;

export const reportUsage = (db: Queryable, period: Period, tenantId: string | null): Promise<readonly UsageReport[]> =>
  db.any(sql.type(Report)`
    SELECT tenant_id, tenants.name AS tenant, application_id, kind, quantity
    FROM usage_counters JOIN tenants ON tenants.id = tenant_id
    WHERE period = ${dayOf(period)} AND (${tenantId}::uuid IS NULL OR tenant_id = ${tenantId}::uuid)
      AND (kind <> 'test_connect' OR quantity > 0)
    ORDER BY tenants.name, tenant_id, application_id NULLS FIRST, kind
  `);

const Difference = z.object({
  tenant_id: z.uuid(),
  application_id: z.uuid().nullable(),
  kind: z.enum(COUNTED_KINDS),
  was: z.number(),
  is: z.number(),
});
export type UsageDifference = z.infer<typeof Difference>;

/** Recounts a month from its sources and returns the differences. API calls have no source and stay as they are. */
export const recountUsage = (pool: Pool, period: Period): Promise<readonly UsageDifference[]> =>
  pool.transaction(async (tx) => {
    await tx.query(sql.type(none)`LOCK TABLE usage_counters IN SHARE ROW EXCLUSIVE MODE`);
    const differences = await tx.any(sql.type(Difference)`
      WITH ${countedAnew(period)}, counted AS (
        SELECT tenant_id, application_id, kind, quantity FROM usage_counters
        WHERE period = ${dayOf(period)} AND kind <> 'api_call'
      )
      SELECT which.tenant_id, which.application_id, which.kind, coalesce(counted.quantity, 0) AS was, coalesce(anew.quantity, 0) AS is
      FROM anew FULL JOIN counted
        ON (anew.tenant_id, anew.kind) = (counted.tenant_id, counted.kind)
          AND coalesce(anew.application_id, anew.tenant_id) = coalesce(counted.application_id, counted.tenant_id),
        LATERAL (SELECT coalesce(anew.tenant_id, counted.tenant_id), coalesce(anew.application_id, counted.application_id),
          coalesce(anew.kind, counted.kind)) AS which (tenant_id, application_id, kind)
      WHERE coalesce(counted.quantity, 0) <> coalesce(anew.quantity, 0)
    `);
    for (const { tenant_id, application_id, kind, is } of differences)
      await tx.query(sql.type(none)`
        INSERT INTO usage_counters (tenant_id, application_id, period, kind, quantity)
        VALUES (${tenant_id}, ${application_id}, ${dayOf(period)}, ${kind}, ${is})
        ON CONFLICT (tenant_id, period, kind, application_id) DO UPDATE SET quantity = excluded.quantity
      `);
    return differences;
  });

const countedAnew = (period: Period) => {
  const [start, end] = [sql.timestamp(period.start), sql.timestamp(period.end)];
  return sql.fragment`
    moves AS (
      SELECT connections.tenant_id, scope.id AS application_id, timeline.at, timeline.id,
        (to_state ${inStates(SERVING)})::integer - (from_state ${inStates(SERVING)})::integer AS change
      FROM timeline JOIN connections ON connections.id = timeline.connection_id,
        LATERAL (VALUES (NULL::uuid), (connections.application_id)) AS scope (id)
      WHERE environment = 'live' AND timeline.kind = 'move' AND timeline.at < ${end}
        AND (to_state ${inStates(SERVING)}) <> (from_state ${inStates(SERVING)})
    ), standing AS (
      SELECT tenant_id, application_id, at, id,
        sum(change) OVER (PARTITION BY tenant_id, application_id ORDER BY at, id) AS serving
      FROM moves
    ), highest AS (
      SELECT tenant_id, application_id, max(serving) AS serving FROM standing WHERE at >= ${start}
      GROUP BY tenant_id, application_id
      UNION ALL
      (SELECT DISTINCT ON (tenant_id, application_id) tenant_id, application_id, serving FROM standing
      WHERE at < ${start} ORDER BY tenant_id, application_id, at DESC, id DESC)
    ), anew AS (
      SELECT tenant_id, application_id, CASE environment WHEN 'live' THEN 'connect' ELSE 'test_connect' END AS kind,
        count(*) AS quantity
      FROM connections
      WHERE (environment = 'live' OR hostname NOT LIKE '%.test') AND created_at >= ${start} AND created_at < ${end}
      GROUP BY GROUPING SETS ((tenant_id, environment), (tenant_id, application_id, environment))
      UNION ALL
      SELECT tenant_id, application_id, 'cert', count(*) FROM issued_certificates
      WHERE at >= ${start} AND at < ${end}
      GROUP BY GROUPING SETS ((tenant_id), (tenant_id, application_id))
      UNION ALL
      SELECT tenant_id, application_id, 'active_domain', max(serving) FROM highest
      GROUP BY tenant_id, application_id HAVING max(serving) > 0
    )
  `;
};
