import type { Client, Pool as PgPool } from 'pg';
import { z } from 'zod';
import { STANDINGS, whileSuspended, type AdmissionChange, type OriginChange } from '../../domain/edge/admission.ts';
import { sql, type Pool } from '../pool.ts';

/** The channel on which changes of admissions are told. */
export const ADMISSION_CHANNEL = 'admission';

/** How long Postgres keeps a lease that is not renewed: a second longer than its holder believes in it. */
const LEASE = `interval '3 seconds'`;

const standing = z.enum(STANDINGS);

/**
 * What a notification carries: which row changed, and its number then. Any login of the database can send one, so it says
 * nothing that a copy would believe without reading the row.
 */
export const ChangeNotice = z.union([
  z.object({ sequence: z.int().positive(), hostname: z.string().max(255) }),
  z.object({ sequence: z.int().positive(), application_id: z.uuid() }),
]);
export type ChangeNotice = z.infer<typeof ChangeNotice>;

/** Registers a copy of the table, and clears away what copies that ended long ago left behind. */
export async function takeLease(client: Client, epoch: string): Promise<void> {
  await client.query(`DELETE FROM admission_leases WHERE expires_at < clock_timestamp() - interval '1 minute'`);
  await client.query(`INSERT INTO admission_leases (epoch, expires_at) VALUES ($1, clock_timestamp() + ${LEASE})`, [
    epoch,
  ]);
}

/** False when it had run out: a request that waited for its end may have gone on, so it must not come back to life. */
export async function renewLease(client: Client, epoch: string): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'renew-lease',
    text: `UPDATE admission_leases SET expires_at = clock_timestamp() + ${LEASE}
           WHERE epoch = $1 AND expires_at > clock_timestamp()`,
    values: [epoch],
  });
  return rowCount === 1;
}

/** Only for a copy that is not asked any more. */
export async function endLease(client: Client, epoch: string): Promise<void> {
  await client.query('DELETE FROM admission_leases WHERE epoch = $1', [epoch]);
}

/** Far more changes than are made while a request waits for one. */
const REMEMBERED_ACKS = 100_000;

/** Also forgets what this copy acknowledged long ago: it may live for years. */
export async function acknowledge(client: Client, epoch: string, sequences: number[]): Promise<void> {
  await client.query({
    name: 'acknowledge',
    text: `WITH forgotten AS (
             DELETE FROM admission_acks
             WHERE epoch = $1 AND sequence < (SELECT max(last) - ${REMEMBERED_ACKS} FROM unnest($2::bigint[]) AS last)
           )
           INSERT INTO admission_acks (epoch, sequence) SELECT $1, unnest($2::bigint[]) ON CONFLICT DO NOTHING`,
    values: [epoch, sequences],
  });
}

const PAGE = 10_000;
type NameRow = [hostname: string, sequence: string, standing: z.infer<typeof standing>, applicationId: string];
type OriginRow = [
  applicationId: string,
  sequence: string,
  originUrl: string | null,
  displayName: string | null,
  suspended: boolean,
];
const ORIGIN_COLUMNS = 'application_id, sequence, origin_url, display_name, suspended';

const originChange = ([application_id, sequence, origin_url, display_name, suspended]: OriginRow): OriginChange => ({
  application_id,
  sequence: Number(sequence),
  origin_url,
  display_name,
  suspended,
});

/**
 * Reads everything in pages, each by its own snapshot: what changes between two pages is told by notification, and the
 * sequences decide. Rows are arrays and unchecked, because a million of them are read before the first question can be
 * answered; the table's own constraints vouch for them.
 */
export async function readAdmissions(
  client: Client,
  take: (changes: readonly AdmissionChange[]) => Promise<void>,
): Promise<void> {
  const origins = await client.query<OriginRow>({
    rowMode: 'array',
    text: `SELECT ${ORIGIN_COLUMNS} FROM admission_origins`,
  });
  await take(origins.rows.map(originChange));
  for (let after = ''; ;) {
    const { rows } = await client.query<NameRow>({
      rowMode: 'array',
      name: 'read-admissions',
      text: `SELECT hostname, sequence, standing, application_id FROM admissions
             WHERE hostname > $1 ORDER BY hostname LIMIT ${PAGE}`,
      values: [after],
    });
    await take(
      rows.map(([hostname, sequence, standing, application_id]) => ({
        hostname,
        sequence: Number(sequence),
        standing,
        application_id,
      })),
    );
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last[0];
  }
}

/** The rows that notices name, as they are now. What no row tells of was made up, or never was proved. */
export async function readChanged(client: Client, notices: readonly ChangeNotice[]): Promise<AdmissionChange[]> {
  const hostnames = notices.flatMap((notice) => ('hostname' in notice ? [notice.hostname] : []));
  const applications = notices.flatMap((notice) => ('hostname' in notice ? [] : [notice.application_id]));
  const changes: AdmissionChange[] = [];
  if (hostnames.length > 0) {
    const { rows } = await client.query<NameRow>({
      rowMode: 'array',
      name: 'read-changed-names',
      text: 'SELECT hostname, sequence, standing, application_id FROM admissions WHERE hostname = ANY($1)',
      values: [hostnames],
    });
    for (const [hostname, sequence, standing, application_id] of rows)
      changes.push({ hostname, sequence: Number(sequence), standing, application_id });
  }
  if (applications.length > 0) {
    const { rows } = await client.query<OriginRow>({
      rowMode: 'array',
      name: 'read-changed-origins',
      text: `SELECT ${ORIGIN_COLUMNS} FROM admission_origins WHERE application_id = ANY($1)`,
      values: [applications],
    });
    changes.push(...rows.map(originChange));
  }
  return changes;
}

const AdmissionRow = z
  .object({
    standing,
    origin_url: z.string().nullable(),
    display_name: z.string().nullable(),
    suspended: z.boolean().nullable(),
  })
  .transform(({ standing: own, suspended, ...origin }) => ({
    standing: suspended === true ? whileSuspended(own) : own,
    ...origin,
  }));

/** One hostname as the database has it at this moment. */
export async function readAdmission(pool: PgPool, hostname: string): Promise<z.infer<typeof AdmissionRow> | null> {
  const { rows } = await pool.query({
    name: 'read-admission',
    text: `SELECT a.standing, o.origin_url, o.display_name, o.suspended
           FROM admissions a LEFT JOIN admission_origins o USING (application_id)
           WHERE a.hostname = $1`,
    values: [hostname],
  });
  return rows.length === 0 ? null : AdmissionRow.parse(rows[0]);
}

/** Whose changes a process can wait for. */
export type ChangeOf = { connectionId: string } | { hostname: string } | { applicationId: string };

/** The newest change that concerns the hostname or the application's origin; null when there never was one. */
export function newestChange(pool: Pool, of: ChangeOf): Promise<ChangeNotice | null> {
  if ('connectionId' in of)
    return pool.maybeOne(sql.type(ChangeNotice)`SELECT sequence, hostname FROM newest_admission(${of.connectionId})`);
  if ('hostname' in of)
    return pool.maybeOne(sql.type(ChangeNotice)`
      SELECT sequence, hostname FROM admissions WHERE hostname = ${of.hostname}
    `);
  return pool.maybeOne(sql.type(ChangeNotice)`
    SELECT sequence, application_id FROM admission_origins WHERE application_id = ${of.applicationId}
  `);
}

/** Tells every copy of a change that was told when it was made: a copy that began to listen since has not heard it. */
export async function notifyAgain(pool: Pool, notice: ChangeNotice): Promise<void> {
  await pool.query(sql.type(z.object({ told: z.unknown() }))`
    SELECT pg_notify(${ADMISSION_CHANNEL}, ${JSON.stringify(notice)}) AS told
  `);
}

export const runningLeases = (pool: Pool): Promise<readonly string[]> =>
  pool.anyFirst(sql.type(z.object({ epoch: z.uuid() }))`
    SELECT epoch FROM admission_leases WHERE expires_at > clock_timestamp()
  `);

/** Those of the leases that still run by this server's clock and have not taken in the change. */
export const unacknowledged = (pool: Pool, epochs: readonly string[], sequence: number): Promise<readonly string[]> =>
  pool.anyFirst(sql.type(z.object({ epoch: z.uuid() }))`
    SELECT epoch FROM admission_leases AS lease
    WHERE epoch = ANY(${sql.array([...epochs], 'uuid')}) AND expires_at > clock_timestamp()
      AND NOT EXISTS (SELECT FROM admission_acks WHERE epoch = lease.epoch AND sequence = ${sequence})
  `);
