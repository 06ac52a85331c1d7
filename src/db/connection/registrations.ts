import { z } from 'zod';
import type { Registration, RegistrationAnswer } from '../../domain/connection/registration.ts';
import { SERVING } from '../../domain/connection/state-sets.ts';
import { MINUTE } from '../../domain/duration.ts';
import { jsonOf, none, sql, timestampOrNull, type Pool, type Queryable, type Tx } from '../pool.ts';
import { inStates } from '../state-list.ts';
import { recordEvents } from '../webhook/events.ts';
import { connectionColumns, ConnectionRow } from './connection-row.ts';

const ENROLLED_TOGETHER = 1_000;
/** A worker that stops during a check leaves its domains to the next one after this time. */
const LEASE = 10 * MINUTE;

/** Enrols the domains of serving connections. Returns the number of connections that were new. */
export async function enrolDomains(
  db: Queryable,
  domainOf: (hostname: string) => string,
  serverOf: (domain: string) => string | null,
  now: Date,
): Promise<number> {
  const found = await db.any(sql.type(z.object({ id: z.uuid(), hostname: z.string() }))`
    SELECT id, hostname FROM connections WHERE registered_domain IS NULL AND state ${inStates(SERVING)}
    ORDER BY id LIMIT ${ENROLLED_TOGETHER}
  `);
  if (found.length === 0) return 0;
  const given = found.map(({ id, hostname }) => {
    const domain = domainOf(hostname);
    return { id, domain, server: serverOf(domain) };
  });
  // Rows of earlier releases lack the time of their proof.
  await db.query(sql.type(none)`
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${sql.jsonb(jsonOf(given))}) AS given (id uuid, domain text, server text)
    ), enrolled AS (
      INSERT INTO registrations (domain, server, next_check_at)
      SELECT DISTINCT domain, server, ${sql.timestamp(now)} FROM given ORDER BY domain
      ON CONFLICT DO NOTHING
    )
    UPDATE connections SET registered_domain = given.domain, proved_at = coalesce(
      proved_at,
      (SELECT max(at) FROM timeline WHERE connection_id = connections.id AND to_state = 'verified'),
      live_at,
      ${sql.timestamp(now)})
    FROM given WHERE connections.id = given.id
  `);
  return found.length;
}

const DueDomain = z.object({
  domain: z.string(),
  registered_at: z.date().nullable(),
  expires_at: z.date().nullable(),
  missing_since: z.date().nullable(),
  missing_days: z.number(),
  answered_at: z.date().nullable(),
});
export type DueDomain = z.infer<typeof DueDomain>;

/** Takes domains of serving connections that are due, a limited number of each server. Each goes to one caller. */
export const takeDue = (db: Queryable, now: Date, perServer: number): Promise<readonly DueDomain[]> =>
  db.any(sql.type(DueDomain)`
    UPDATE registrations SET next_check_at = ${sql.timestamp(new Date(now.getTime() + LEASE))}
    WHERE next_check_at <= ${sql.timestamp(now)} AND domain IN (
      SELECT domain FROM (
        SELECT domain, row_number() OVER (PARTITION BY server ORDER BY next_check_at, domain) AS place
        FROM registrations
        WHERE next_check_at <= ${sql.timestamp(now)} AND EXISTS (
          SELECT FROM connections WHERE registered_domain = registrations.domain AND state ${inStates(SERVING)})
      ) AS due
      WHERE place <= ${perServer})
    RETURNING domain, registered_at, expires_at, missing_since, missing_days, answered_at
  `);

/** Leaves a server alone until this time. */
export async function postponeServer(db: Queryable, server: string | null, until: Date): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE registrations SET next_check_at = ${sql.timestamp(until)}
    WHERE server = ${server} AND next_check_at < ${sql.timestamp(until)}
  `);
}

export interface CheckedRegistration extends Registration {
  server: string | null;
  state: RegistrationAnswer['outcome'];
  /** Days before the end of the registration that have been reached; null if there is nothing to report. */
  warning: number | null;
  next_check_at: Date;
  now: Date;
}

/** Saves a check, and records `domain.expiring` for every serving connection that has not had it. */
export const saveRegistration = (pool: Pool, domain: string, checked: CheckedRegistration): Promise<void> =>
  pool.transaction(async (tx) => {
    await tx.query(sql.type(none)`
      UPDATE registrations SET
        server = ${checked.server},
        state = ${checked.state},
        registered_at = ${timestampOrNull(checked.registered_at)},
        expires_at = ${timestampOrNull(checked.expires_at)},
        missing_since = ${timestampOrNull(checked.missing_since)},
        missing_days = ${checked.missing_days},
        checked_at = ${sql.timestamp(checked.now)},
        answered_at = ${timestampOrNull(checked.answered_at)},
        next_check_at = ${sql.timestamp(checked.next_check_at)}
      WHERE domain = ${domain}
    `);
    const { warning: days, expires_at: expiresAt, now } = checked;
    if (days === null || expiresAt === null) return;
    const rows = await reportExpiry(tx, domain, expiresAt, days);
    const registration = { domain, expires_at: expiresAt.toISOString(), days };
    if (rows.length > 0) await recordEvents(tx, rows, 'domain.expiring', { now, eventData: { registration } });
  });

/** Returns the connections that have no report yet for this end and this number of days, and marks them. */
const reportExpiry = (tx: Tx, domain: string, expiresAt: Date, days: number): Promise<readonly ConnectionRow[]> =>
  tx.any(sql.type(ConnectionRow)`
    UPDATE connections SET expiry_reported_for = ${sql.timestamp(expiresAt)}, expiry_reported_days = ${days}
    WHERE registered_domain = ${domain} AND state ${inStates(SERVING)}
      AND (expiry_reported_for IS DISTINCT FROM ${sql.timestamp(expiresAt)} OR expiry_reported_days > ${days})
    RETURNING ${connectionColumns}
  `);
