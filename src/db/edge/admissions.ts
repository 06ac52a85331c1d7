import type { Client, Pool as PgPool } from 'pg';
import { z } from 'zod';
import {
  brandingOf,
  isLeftToWildcard,
  STANDINGS,
  UNKNOWN_NAME,
  whileSuspended,
  type AdmissionChange,
  type Admittance,
  type NameChange,
  type OriginChange,
  type Standing,
} from '../../domain/edge/admission.ts';
import type { EdgeRoute } from '../../domain/edge/own-route.ts';
import type { SigningSecret } from '../../domain/edge/signature.ts';
import { wildcardAbove } from '../../domain/hostname.ts';
import { sql, type Fragment, type Pool } from '../pool.ts';

export const ADMISSION_CHANNEL = 'admission';

/** Lifetime of a lease in Postgres: a second longer than its holder relies on it. */
const LEASE = `interval '3 seconds'`;

const standing = z.enum(STANDINGS);

/** A notification. Any login of the database can send one, so copies read the row and trust nothing else. */
export const ChangeNotice = z.union([
  z.object({ sequence: z.int().positive(), hostname: z.string().max(255) }),
  z.object({ sequence: z.int().positive(), application_id: z.uuid() }),
]);
export type ChangeNotice = z.infer<typeof ChangeNotice>;

/** Registers a copy of the table, and deletes expired leases. */
export async function takeLease(client: Client, epoch: string): Promise<void> {
  await client.query(`DELETE FROM admission_leases WHERE expires_at < clock_timestamp() - interval '1 minute'`);
  await client.query(`INSERT INTO admission_leases (epoch, expires_at) VALUES ($1, clock_timestamp() + ${LEASE})`, [
    epoch,
  ]);
}

/** Extends the lease. Returns false if it has expired: requests may have waited for that, so it must stay expired. */
export async function renewLease(client: Client, epoch: string): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'renew-lease',
    text: `UPDATE admission_leases SET expires_at = clock_timestamp() + ${LEASE}
           WHERE epoch = $1 AND expires_at > clock_timestamp()`,
    values: [epoch],
  });
  return rowCount === 1;
}

/** Ends the lease of a copy that no longer answers. */
export async function endLease(client: Client, epoch: string): Promise<void> {
  await client.query('DELETE FROM admission_leases WHERE epoch = $1', [epoch]);
}

/** Far more changes than occur while a request waits for one. */
const REMEMBERED_ACKS = 100_000;

/** Acknowledges changes, and deletes old acknowledgements, because a copy may live for years. */
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
export type NameRow = [
  hostname: string,
  sequence: string,
  standing: z.infer<typeof standing>,
  applicationId: string,
  certificateId: string | null,
  route: EdgeRoute | null,
];
export const NAME_COLUMNS = 'hostname, sequence, standing, application_id, certificate_id, route';

export const nameChange = ([
  hostname,
  sequence,
  standing,
  application_id,
  certificate_id,
  route,
]: NameRow): NameChange => ({
  hostname,
  sequence: Number(sequence),
  standing,
  application_id,
  certificate_id,
  route,
});

export type OriginRow = [
  applicationId: string,
  sequence: string,
  originUrl: string | null,
  displayName: string | null,
  logoUrl: string | null,
  supportUrl: string | null,
  suspended: boolean,
  secrets: SigningSecret[] | null,
];
export const ORIGIN_COLUMNS =
  'application_id, sequence, origin_url, display_name, logo_url, support_url, suspended, secrets';

export const originChange = ([
  application_id,
  sequence,
  origin_url,
  display_name,
  logo_url,
  support_url,
  suspended,
  secrets,
]: OriginRow): OriginChange => ({
  application_id,
  sequence: Number(sequence),
  origin_url,
  display_name,
  logo_url,
  support_url,
  suspended,
  secrets: secrets ?? [],
});

/** Reads all rows in pages; notifications cover the time between. Millions of rows are not parsed. */
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
      text: `SELECT ${NAME_COLUMNS} FROM admissions WHERE hostname > $1 ORDER BY hostname LIMIT ${PAGE}`,
      values: [after],
    });
    await take(rows.map(nameChange));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last[0];
  }
}

/** Reads the rows that notifications name. A notification without a row was forged, or the hostname never proved. */
export async function readChanged(client: Client, notices: readonly ChangeNotice[]): Promise<AdmissionChange[]> {
  const hostnames = notices.flatMap((notice) => ('hostname' in notice ? [notice.hostname] : []));
  const applications = notices.flatMap((notice) => ('hostname' in notice ? [] : [notice.application_id]));
  const changes: AdmissionChange[] = [];
  if (hostnames.length > 0) {
    const { rows } = await client.query<NameRow>({
      rowMode: 'array',
      name: 'read-changed-names',
      text: `SELECT ${NAME_COLUMNS} FROM admissions WHERE hostname = ANY($1)`,
      values: [hostnames],
    });
    changes.push(...rows.map(nameChange));
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

const AdmissionRow = z.object({
  hostname: z.string(),
  standing,
  origin_url: z.string().nullable(),
  route: z.custom<EdgeRoute>().nullable(),
  application_id: z.string(),
  display_name: z.string().nullable(),
  logo_url: z.string().nullable(),
  support_url: z.string().nullable(),
  suspended: z.boolean(),
  secrets: z.custom<SigningSecret[]>().nullable(),
});
type AdmissionRow = z.infer<typeof AdmissionRow>;

/** Reads the admission of a hostname, or of the wildcard that decides about it. */
export async function readAdmittance(pool: PgPool, hostname: string): Promise<Admittance> {
  const wildcard = wildcardAbove(hostname);
  const { rows } = await pool.query({
    name: 'read-admittance',
    text: `SELECT a.hostname, a.standing, a.route, a.application_id, o.origin_url, o.display_name, o.logo_url, o.support_url,
             coalesce(o.suspended, false) AS suspended, o.secrets
           FROM admissions a LEFT JOIN admission_origins o USING (application_id)
           WHERE a.hostname = ANY($1)`,
    values: [[hostname, wildcard]],
  });
  const known = z.array(AdmissionRow).parse(rows);
  const [own, above] = [hostname, wildcard].map((name) => known.find((row) => row.hostname === name));
  const deciding = isLeftToWildcard(own?.standing ?? 'none', standingIn(above)) ? above : own;
  if (deciding === undefined) return UNKNOWN_NAME;
  const { route, application_id } = deciding;
  const origin_url = route?.origin_url ?? deciding.origin_url;
  const secrets = deciding.secrets ?? [];
  const standings = { standing: standingIn(deciding), own: standingIn(own) };
  return { ...standings, origin_url, route, application_id, secrets, ...brandingOf(deciding) };
}

const standingIn = (row: AdmissionRow | undefined): Standing =>
  row?.suspended === true ? whileSuspended(row.standing) : (row?.standing ?? 'none');

/** Object of a change that a process can wait for. */
export type ChangeOf = { connectionId: string } | { hostname: string } | { applicationId: string };

const AwaitedChange = z.object({ change: ChangeNotice, waiting: z.array(z.uuid()) });
/** A change, and the leases that have not expired and have not acknowledged it. */
export type AwaitedChange = z.infer<typeof AwaitedChange>;

/**
 * Returns the newest change of the hostname or of the application's origin; null if there is none. A lease that appears
 * later belongs to a copy that loads the change.
 */
export const newestChange = (pool: Pool, of: ChangeOf): Promise<AwaitedChange | null> =>
  pool.maybeOne(sql.type(AwaitedChange)`
    SELECT to_json(change) AS change, ARRAY(
      SELECT epoch FROM admission_leases AS lease
      WHERE expires_at > clock_timestamp()
        AND NOT EXISTS (SELECT FROM admission_acks WHERE epoch = lease.epoch AND sequence = change.sequence)) AS waiting
    FROM (${changeOf(of)}) AS change
  `);

function changeOf(of: ChangeOf): Fragment {
  if ('connectionId' in of) return sql.fragment`SELECT sequence, hostname FROM newest_admission(${of.connectionId})`;
  if ('hostname' in of) return sql.fragment`SELECT sequence, hostname FROM admissions WHERE hostname = ${of.hostname}`;
  return sql.fragment`
    SELECT sequence, application_id FROM admission_origins WHERE application_id = ${of.applicationId}`;
}

/** Sends the notification of a change again, for copies that began to listen after it. */
export async function notifyAgain(pool: Pool, notice: ChangeNotice): Promise<void> {
  await pool.query(sql.type(z.object({ sent: z.unknown() }))`
    SELECT pg_notify(${ADMISSION_CHANNEL}, ${JSON.stringify(notice)}) AS sent
  `);
}

/** Returns which of these leases have not expired and have not acknowledged the change. */
export const unacknowledged = (pool: Pool, epochs: readonly string[], sequence: number): Promise<readonly string[]> =>
  pool.anyFirst(sql.type(z.object({ epoch: z.uuid() }))`
    SELECT epoch FROM admission_leases AS lease
    WHERE epoch = ANY(${sql.array([...epochs], 'uuid')}) AND expires_at > clock_timestamp()
      AND NOT EXISTS (SELECT FROM admission_acks WHERE epoch = lease.epoch AND sequence = ${sequence})
  `);
