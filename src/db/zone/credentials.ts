import { z } from 'zod';
import { Envelope } from '../envelope.ts';
import type { Environment } from '../../domain/connection/connection.ts';
import { pageOf, type PageRequest } from '../page.ts';
import { isUsable } from './paused-providers.ts';
import { jsonOf, none, sql, type Fragment, type Queryable } from '../pool.ts';

export const CREDENTIAL_STATUS = ['ok', 'invalid', 'unverified'] as const;

export const CredentialRow = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  application_id: z.uuid(),
  provider: z.string(),
  label: z.string().nullable(),
  hint: z.string(),
  zones: z.array(z.string()),
  /** The zones with the provider's ids, as far as it returned them. */
  zone_handles: z.array(z.object({ id: z.string(), name: z.string(), nameservers: z.array(z.string()) })),
  status: z.enum(CREDENTIAL_STATUS),
  reason: z.string().nullable(),
  ...Envelope.shape,
  last_verified_at: z.date().nullable(),
  /** Expiry, as far as the provider or the tenant has given it. */
  expires_at: z.date().nullable(),
  created_at: z.date(),
});
export type CredentialRow = z.infer<typeof CredentialRow>;

const columns = sql.fragment`
  id, tenant_id, application_id, provider, label, hint, zones, zone_handles, status, reason, key_id, wrapped_key, ciphertext,
  last_verified_at, expires_at, created_at
`;

type NewCredential = Omit<CredentialRow, 'created_at'>;

const timeOrNull = (at: Date | null) => (at === null ? null : sql.timestamp(at));

export const insertCredential = (db: Queryable, row: NewCredential): Promise<CredentialRow> =>
  db.one(sql.type(CredentialRow)`
    INSERT INTO credentials (
      id, tenant_id, application_id, provider, label, hint, zones, zone_handles, status, reason, key_id, wrapped_key,
      ciphertext, last_verified_at, expires_at)
    VALUES (
      ${row.id}, ${row.tenant_id}, ${row.application_id}, ${row.provider}, ${row.label}, ${row.hint},
      ${sql.array(row.zones, 'text')}, ${sql.jsonb(jsonOf(row.zone_handles))}, ${row.status}, ${row.reason}, ${row.key_id},
      ${sql.binary(row.wrapped_key)}, ${sql.binary(row.ciphertext)},
      ${timeOrNull(row.last_verified_at)}, ${timeOrNull(row.expires_at)})
    RETURNING ${columns}
  `);

/** Replaces the secret. References to the credential stay valid. */
export const replaceCredential = (
  db: Queryable,
  row: Omit<NewCredential, 'tenant_id' | 'application_id' | 'provider'>,
): Promise<CredentialRow> =>
  db.one(sql.type(CredentialRow)`
    UPDATE credentials SET
      label = ${row.label},
      hint = ${row.hint},
      zones = ${sql.array(row.zones, 'text')},
      zone_handles = ${sql.jsonb(jsonOf(row.zone_handles))},
      status = ${row.status},
      reason = ${row.reason},
      key_id = ${row.key_id},
      wrapped_key = ${sql.binary(row.wrapped_key)},
      ciphertext = ${sql.binary(row.ciphertext)},
      last_verified_at = ${timeOrNull(row.last_verified_at)},
      expires_at = ${timeOrNull(row.expires_at)}
    WHERE id = ${row.id}
    RETURNING ${columns}
  `);

export const describeCredential = (
  db: Queryable,
  id: string,
  { label, expires_at }: Pick<CredentialRow, 'label' | 'expires_at'>,
): Promise<CredentialRow> =>
  db.one(sql.type(CredentialRow)`
    UPDATE credentials SET label = ${label}, expires_at = ${timeOrNull(expires_at)} WHERE id = ${id} RETURNING ${columns}
  `);

export const getCredential = (db: Queryable, id: string): Promise<CredentialRow | null> =>
  db.maybeOne(sql.type(CredentialRow)`SELECT ${columns} FROM credentials WHERE id = ${id}`);

export const listCredentials = (
  db: Queryable,
  applicationId: string,
  page: PageRequest,
): Promise<readonly CredentialRow[]> =>
  db.any(sql.type(CredentialRow)`
    SELECT ${columns} FROM credentials WHERE application_id = ${applicationId} AND ${pageOf(page)}
  `);

export async function deleteCredential(db: Queryable, id: string): Promise<void> {
  await db.query(sql.type(none)`DELETE FROM credentials WHERE id = ${id}`);
}

/** Whether the hostname is the zone or below it. */
const covers = (hostname: Fragment) =>
  sql.fragment`(zone = ${hostname} OR right(${hostname}, length(zone) + 1) = '.' || zone)`;

/** Whether the provider has not refused the credential for the zone, and the operator has not paused the provider. */
const mayWrite = sql.fragment`NOT EXISTS (
  SELECT FROM refused_zones AS refused WHERE refused.credential_id = credentials.id AND refused.zone = covering.zone)
  AND ${isUsable}`;

const CoveringCredential = CredentialRow.extend({
  covering_zone: z.string(),
  /** Policies of the credential's application. */
  drift_policy: z.enum(['notify', 'repair']),
  conflict_policy: z.enum(['refuse', 'replace']),
});
export type CoveringCredential = z.infer<typeof CoveringCredential>;

/** Returns the credential that may write for a hostname: the one with the closest zone, then the newest. */
export const coveringCredential = (
  db: Queryable,
  applicationId: string,
  hostname: string,
): Promise<CoveringCredential | null> =>
  db.maybeOne(sql.type(CoveringCredential)`
    SELECT ${columns}, zone AS covering_zone, policy.* FROM credentials, unnest(zones) AS covering (zone),
      LATERAL (SELECT drift_policy, conflict_policy FROM applications WHERE id = application_id) AS policy
    WHERE application_id = ${applicationId} AND status <> 'invalid'
      AND ${covers(sql.fragment`${hostname}`)} AND ${mayWrite}
    ORDER BY length(zone) DESC, created_at DESC, id DESC
    LIMIT 1
  `);

/** Returns those hostnames for which a credential of the application may write. */
export const writableAmong = async (
  db: Queryable,
  applicationId: string,
  hostnames: readonly string[],
): Promise<ReadonlySet<string>> =>
  new Set(
    await db.anyFirst(sql.type(z.object({ name: z.string() }))`
      SELECT name FROM unnest(${sql.array([...hostnames], 'text')}) AS name WHERE EXISTS (
        SELECT FROM credentials, unnest(zones) AS covering (zone)
        WHERE application_id = ${applicationId} AND status <> 'invalid'
          AND ${covers(sql.fragment`name`)} AND ${mayWrite})
    `),
  );

/** Subquery for rows of `connections`: the credential that may write, and the conflict policy. */
export const writerOfConnection = sql.fragment`
  SELECT json_build_object('provider', credentials.provider, 'conflict_policy', application.conflict_policy)
  FROM credentials JOIN applications AS application ON application.id = credentials.application_id,
    unnest(credentials.zones) AS covering (zone)
  WHERE credentials.application_id = connections.application_id AND credentials.status <> 'invalid'
    AND ${covers(sql.fragment`connections.hostname`)} AND ${mayWrite}
  ORDER BY length(zone) DESC, credentials.created_at DESC, credentials.id DESC
  LIMIT 1
`;

/** Subquery for rows of `connections`: the paused provider that could write, if any. */
export const pausedProviderOfConnection = sql.fragment`
  SELECT credentials.provider FROM paused_providers JOIN credentials USING (provider), unnest(zones) AS covering (zone)
  WHERE credentials.application_id = connections.application_id AND ${covers(sql.fragment`connections.hostname`)}
  LIMIT 1
`;

/** Returns the provider of any of the tenant's credentials that could write for the hostname. */
export const coveringProviderOfAny = (
  db: Queryable,
  environments: readonly Environment[],
  hostname: string,
): Promise<string | null> =>
  db.maybeOneFirst(sql.type(z.object({ provider: z.string() }))`
    SELECT credentials.provider
    FROM credentials JOIN applications ON applications.id = application_id, unnest(zones) AS covering (zone)
    WHERE status <> 'invalid' AND environment = ANY(${sql.array([...environments], 'text')})
      AND ${covers(sql.fragment`${hostname}`)} AND ${mayWrite}
    LIMIT 1
  `);

/** Result of a credential check: accepted with these zones, refused for a reason, or unreachable. */
export interface CredentialHealth {
  status: CredentialRow['status'];
  reason: string | null;
  /** Null if the provider did not return them. */
  zones: string[] | null;
  handles?: CredentialRow['zone_handles'];
  /** Expiry, if the provider returned it. */
  expiresAt?: Date;
}

export async function recordHealth(db: Queryable, id: string, health: CredentialHealth): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE credentials SET
      status = ${health.status},
      reason = ${health.reason},
      zones = ${health.zones === null ? sql.fragment`zones` : sql.array(health.zones, 'text')},
      zone_handles = ${health.zones === null ? sql.fragment`zone_handles` : sql.jsonb(jsonOf(health.handles ?? []))},
      expires_at = ${health.expiresAt === undefined ? sql.fragment`expires_at` : sql.timestamp(health.expiresAt)},
      last_verified_at = ${health.status === 'unverified' ? sql.fragment`last_verified_at` : sql.fragment`now()`}
    WHERE id = ${id}
  `);
}

export async function refuseZone(
  db: Queryable,
  credential: Pick<CredentialRow, 'id' | 'tenant_id'>,
  { zone, reason, now }: { zone: string; reason: string; now: Date },
): Promise<void> {
  await db.query(sql.type(none)`
    INSERT INTO refused_zones (credential_id, tenant_id, zone, reason, at)
    SELECT id, tenant_id, ${zone}, ${reason}, ${sql.timestamp(now)} FROM credentials WHERE id = ${credential.id}
    ON CONFLICT (credential_id, zone) DO UPDATE SET reason = excluded.reason, at = excluded.at
  `);
}

/** Clears refused zones, because the tenant has had the credential checked again. */
export async function clearRefusedZones(db: Queryable, credentialId: string): Promise<void> {
  await db.query(sql.type(none)`DELETE FROM refused_zones WHERE credential_id = ${credentialId}`);
}

/** Returns credentials that no process has checked for a day. */
export const credentialsToCheck = (db: Queryable): Promise<readonly CredentialRow[]> =>
  db.any(sql.type(CredentialRow)`
    SELECT ${columns} FROM credentials
    WHERE (coalesce(last_verified_at, created_at) < now() - interval '1 day' OR status = 'unverified') AND ${isUsable}
    ORDER BY last_verified_at NULLS FIRST LIMIT 100
  `);

/** Returns credentials that need a tenant's attention: refused, or expiring before this time. */
export const credentialsInTrouble = (db: Queryable, endingBefore: Date): Promise<readonly CredentialRow[]> =>
  db.any(sql.type(CredentialRow)`
    SELECT ${columns} FROM credentials
    WHERE status = 'invalid' OR expires_at < ${sql.timestamp(endingBefore)}
    ORDER BY expires_at NULLS FIRST, id LIMIT 200
  `);

export const allCredentials = (db: Queryable): Promise<readonly CredentialRow[]> =>
  db.any(sql.type(CredentialRow)`SELECT ${columns} FROM credentials ORDER BY id`);

/** Replaces the envelope of a secret unless another process has done so. Returns whether it was replaced. */
export async function replaceEnvelope(db: Queryable, id: string, from: Envelope, to: Envelope): Promise<boolean> {
  const { rowCount } = await db.query(sql.type(none)`
    UPDATE credentials SET
      key_id = ${to.key_id},
      wrapped_key = ${sql.binary(to.wrapped_key)},
      ciphertext = ${sql.binary(to.ciphertext)}
    WHERE id = ${id} AND key_id = ${from.key_id}
      AND wrapped_key = ${sql.binary(from.wrapped_key)} AND ciphertext = ${sql.binary(from.ciphertext)}
  `);
  return rowCount === 1;
}
