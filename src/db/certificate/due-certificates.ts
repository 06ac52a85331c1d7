import { z } from 'zod';
import { PROVED, RECORDS_SEEN } from '../../domain/connection/state-sets.ts';
import { none, sql, type Queryable } from '../pool.ts';
import { inStates } from '../state-list.ts';

const Due = z.object({ id: z.uuid(), tenant_id: z.uuid(), hostname: z.string(), renewal_id: z.string().nullable() });

/** Whether the worker orders the next certificate, as `isOrdered` decides: before the DNS moves, or for a wildcard. */
const orderedByUs = sql.fragment`(before_dns OR starts_with(hostname, '*.'))`;

/**
 * Returns connections whose ordered certificate, or imported one in its place, should be renewed, the most urgent first,
 * unless an order is in progress or has failed lately.
 */
export const dueForRenewal = (db: Queryable, now: Date, limit: number): Promise<readonly z.infer<typeof Due>[]> =>
  db.any(sql.type(Due)`
    SELECT connections.id, connections.tenant_id, hostname, renewal_id
    FROM certificates JOIN connections ON connections.id = connection_id
    WHERE (source = 'ordered' OR source = 'edge' AND ${orderedByUs})
      AND renew_at <= ${sql.timestamp(now)} AND state ${inStates(PROVED)}
      AND NOT EXISTS (SELECT FROM acme_orders WHERE acme_orders.connection_id = connections.id)
      AND NOT EXISTS (
        SELECT FROM acme_failures
        WHERE acme_failures.connection_id = connections.id AND retry_at > ${sql.timestamp(now)})
    ORDER BY renew_at LIMIT ${limit}
  `);

/** Makes certificates due for renewal now, each with a new key. */
export async function renewNow(db: Queryable, ids: readonly string[], now: Date): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE certificates SET renew_at = ${sql.timestamp(now)} WHERE id = ANY(${sql.array([...ids], 'uuid')})
  `);
}

const ToAsk = z.object({ id: z.uuid(), renewal_id: z.string() });

/** Returns ordered certificates about whose renewal the CA should be asked again. */
export const toAskAbout = (db: Queryable, now: Date, limit: number): Promise<readonly z.infer<typeof ToAsk>[]> =>
  db.any(sql.type(ToAsk)`
    SELECT id, renewal_id FROM certificates
    WHERE source = 'ordered' AND ask_renewal_at <= ${sql.timestamp(now)} AND renewal_id IS NOT NULL
    ORDER BY ask_renewal_at LIMIT ${limit}
  `);

/** Saves when to renew a certificate, if the CA named a time, and when to ask again. */
export async function saveRenewalTime(db: Queryable, id: string, renewAt: Date | null, askAt: Date): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE certificates SET ask_renewal_at = ${sql.timestamp(askAt)},
      renew_at = coalesce(${renewAt === null ? null : sql.timestamp(renewAt)}, renew_at)
    WHERE id = ${id}
  `);
}

/** Returns connections whose edges still have a certificate that has ended. */
export const withEndedCertificate = (db: Queryable, now: Date, limit: number): Promise<readonly string[]> =>
  db.anyFirst(sql.type(z.object({ connection_id: z.uuid() }))`
    SELECT certificates.connection_id FROM certificates JOIN admissions ON certificate_id = certificates.id
    WHERE not_after <= ${sql.timestamp(now)} LIMIT ${limit}
  `);

const Released = z.object({ id: z.uuid(), hostname: z.string() });

/**
 * Returns connections whose imported certificate the edge should replace by its own, the most urgent first and one of
 * each tenant. Where the CA would refuse, because the hostname points elsewhere or has such a finding, it stays.
 */
export const importedDue = (db: Queryable, now: Date, limit: number): Promise<readonly z.infer<typeof Released>[]> =>
  db.any(sql.type(Released)`
    SELECT id, hostname FROM (
      SELECT DISTINCT ON (connections.tenant_id) connections.id, connections.hostname, renew_at
      FROM certificates
        JOIN admissions ON certificate_id = certificates.id
        JOIN connections ON connections.id = certificates.connection_id
      WHERE source = 'edge' AND renew_at <= ${sql.timestamp(now)} AND not_after > ${sql.timestamp(now)}
        AND state ${inStates(RECORDS_SEEN)} AND NOT (before_dns OR starts_with(connections.hostname, '*.'))
        AND NOT EXISTS (
          SELECT FROM jsonb_array_elements(findings) AS finding
          WHERE finding ->> 'code' IN ('caa_blocked', 'dnssec_bogus'))
      ORDER BY connections.tenant_id, renew_at) AS due
    ORDER BY renew_at LIMIT ${limit}
  `);
