import { z } from 'zod';
import type { Period, UsageKind } from '../../domain/billing/usage.ts';
import { none, sql, type Queryable } from '../pool.ts';

const dayOf = ({ start }: Period): string => start.toISOString().slice(0, 10);

const Unreported = z.object({ tenant_id: z.uuid(), customer_id: z.string(), period: z.string() });
/** A paying tenant whose usage exceeds the reported usage. */
export type Unreported = z.infer<typeof Unreported>;

export const unreportedUsage = (db: Queryable, period: Period, kind: UsageKind): Promise<readonly Unreported[]> =>
  db.any(sql.type(Unreported)`
    SELECT counter.tenant_id, customer_id, to_char(counter.period, 'YYYY-MM') AS period
    FROM usage_counters AS counter JOIN subscriptions USING (tenant_id)
      LEFT JOIN metered_usage AS told
        ON (told.tenant_id, told.period, told.kind) = (counter.tenant_id, counter.period, counter.kind)
    WHERE counter.application_id IS NULL AND counter.period = ${dayOf(period)} AND counter.kind = ${kind}
      AND subscription_id IS NOT NULL
      AND (sending IS NOT NULL OR counter.quantity > coalesce(reported, 0))
    ORDER BY counter.tenant_id
  `);

/** Fixes the next report before it is sent. No other report is made until it is confirmed. */
export const beginReport = (
  db: Queryable,
  { tenant_id }: Unreported,
  period: Period,
  kind: UsageKind,
): Promise<{ reported: number; sending: number } | null> =>
  db.maybeOne(sql.type(z.object({ reported: z.number(), sending: z.number() }))`
    INSERT INTO metered_usage AS told (tenant_id, period, kind, sending)
    SELECT tenant_id, period, kind, quantity FROM usage_counters
    WHERE tenant_id = ${tenant_id} AND application_id IS NULL AND period = ${dayOf(period)} AND kind = ${kind}
    ON CONFLICT (tenant_id, period, kind) DO UPDATE SET sending = coalesce(told.sending, excluded.sending)
    WHERE told.sending IS NOT NULL OR excluded.sending > told.reported
    RETURNING reported, sending
  `);

export async function confirmReport(
  db: Queryable,
  tenantId: string,
  period: Period,
  kind: UsageKind,
  sent: number,
): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE metered_usage SET reported = sending, sending = NULL
    WHERE tenant_id = ${tenantId} AND period = ${dayOf(period)} AND kind = ${kind} AND sending = ${sent}
  `);
}
