import { z } from 'zod';
import { Envelope } from '../envelope.ts';
import { none, sql, timestampOrNull, type Pool, type Queryable, type Tx } from '../pool.ts';

/** Sources whose certificates we store, with their keys. The edge stores its own, so `edge` is an imported one. */
export const StoredSource = z.enum(['uploaded', 'ordered', 'edge']);
export type StoredSource = z.infer<typeof StoredSource>;

export const isImported = (source: StoredSource | null): boolean => source === 'edge';

export const CertificateRow = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  connection_id: z.uuid(),
  source: StoredSource,
  chain: z.string(),
  names: z.array(z.string()),
  serial: z.string(),
  ca: z.string(),
  not_before: z.date(),
  not_after: z.date(),
  renewal_id: z.string().nullable(),
  /** When it should be renewed; null for uploads. */
  renew_at: z.date().nullable(),
  /** When to ask the CA whether it should be renewed earlier (ARI, RFC 9773); null for uploads. */
  ask_renewal_at: z.date().nullable(),
  ...Envelope.shape,
  created_at: z.date(),
});
export type CertificateRow = z.infer<typeof CertificateRow>;

const columns = sql.fragment`
  id, tenant_id, connection_id, source, chain, names, serial, ca, not_before, not_after, renewal_id, renew_at,
  ask_renewal_at, key_id, wrapped_key,
  ciphertext, created_at
`;

/** Saves a certificate in place of the connection's previous one of the same source. */
export async function replaceCertificate(tx: Tx, row: CertificateRow): Promise<void> {
  await removeCertificate(tx, row.connection_id, row.source);
  await tx.query(sql.type(none)`
    INSERT INTO certificates (${columns})
    VALUES (
      ${row.id}, ${row.tenant_id}, ${row.connection_id}, ${row.source}, ${row.chain}, ${sql.array(row.names, 'text')},
      ${row.serial}, ${row.ca}, ${sql.timestamp(row.not_before)}, ${sql.timestamp(row.not_after)}, ${row.renewal_id},
      ${timestampOrNull(row.renew_at)}, ${timestampOrNull(row.ask_renewal_at)}, ${row.key_id}, ${sql.binary(row.wrapped_key)}, ${sql.binary(row.ciphertext)}, ${sql.timestamp(row.created_at)})
  `);
}

/** Returns whether there was one. */
export const removeCertificate = async (
  db: Queryable,
  connectionId: string,
  source: StoredSource,
): Promise<boolean> => {
  const { rowCount } = await db.query(sql.type(none)`
    DELETE FROM certificates WHERE connection_id = ${connectionId} AND source = ${source}
  `);
  return rowCount > 0;
};

export const certificateOf = (
  db: Queryable,
  connectionId: string,
  source: StoredSource,
): Promise<CertificateRow | null> =>
  db.maybeOne(sql.type(CertificateRow)`
    SELECT ${columns} FROM certificates WHERE connection_id = ${connectionId} AND source = ${source}
  `);

/** Returns the certificate of ours that edges serve for the connection at this time. */
export const validCertificateOf = (db: Queryable, connectionId: string, at: Date): Promise<CertificateRow | null> =>
  db.maybeOne(sql.type(CertificateRow)`
    SELECT ${columns} FROM certificates WHERE id = certificate_of(${connectionId}, ${sql.timestamp(at)})
  `);

export const certificateById = (db: Queryable, id: string): Promise<CertificateRow | null> =>
  db.maybeOne(sql.type(CertificateRow)`SELECT ${columns} FROM certificates WHERE id = ${id}`);

/** Marks an upload that serves until its successor's order ends. Returns false if there is no upload. */
export async function leaveUpload(db: Queryable, connectionId: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.type(none)`
    UPDATE certificates SET is_leaving = true WHERE connection_id = ${connectionId} AND source = 'uploaded'
  `);
  return rowCount > 0;
}

/** Deletes an upload that is marked so. Returns whether there was one. */
export async function removeLeaving(db: Queryable, connectionId: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.type(none)`
    DELETE FROM certificates WHERE connection_id = ${connectionId} AND source = 'uploaded' AND is_leaving
  `);
  return rowCount > 0;
}

/** Returns the source of our certificate with this serial number that edges present for a hostname; null if it is not ours. */
export const sourceOf = (db: Queryable, hostname: string, serial: string): Promise<StoredSource | null> =>
  db.maybeOneFirst(sql.type(z.object({ source: StoredSource }))`
    SELECT source FROM certificates JOIN admissions USING (connection_id)
    WHERE hostname = ${hostname} AND serial = ${serial}
    ORDER BY source LIMIT 1
  `);

/** Returns the source of the valid certificate of ours that edges have for a hostname; null if they have none. */
export const sourceAtEdges = (db: Queryable, hostname: string, now: Date): Promise<StoredSource | null> =>
  db.maybeOneFirst(sql.type(z.object({ source: StoredSource }))`
    SELECT source FROM admissions JOIN certificates ON certificates.id = certificate_id
    WHERE hostname = ${hostname} AND not_after > ${sql.timestamp(now)}
  `);

/**
 * Chooses which certificate edges serve for the connection, and notifies them of a change. `isSealedAnew` notifies them
 * in any case, because some of them could not read its key before.
 */
export async function chooseCertificate(
  db: Queryable,
  connectionId: string,
  now: Date,
  isSealedAnew = false,
): Promise<string | null> {
  return db.oneFirst(sql.type(z.object({ chosen: z.uuid().nullable() }))`
    SELECT choose_certificate(${connectionId}, ${sql.timestamp(now)}, ${isSealedAnew}) AS chosen
  `);
}

/** Private key of a signing request, encrypted, until its certificate arrives. */
const RequestRow = z.object({
  connection_id: z.uuid(),
  tenant_id: z.uuid(),
  id: z.uuid(),
  ...Envelope.shape,
  created_at: z.date(),
});
export type RequestRow = z.infer<typeof RequestRow>;

const requestColumns = sql.fragment`connection_id, tenant_id, id, key_id, wrapped_key, ciphertext, created_at`;

/** Keeps the key of the newest request only. */
export async function saveRequest(db: Queryable, row: RequestRow): Promise<void> {
  await db.query(sql.type(none)`
    INSERT INTO certificate_requests (${requestColumns})
    VALUES (${row.connection_id}, ${row.tenant_id}, ${row.id}, ${row.key_id}, ${sql.binary(row.wrapped_key)},
      ${sql.binary(row.ciphertext)}, ${sql.timestamp(row.created_at)})
    ON CONFLICT (connection_id) DO UPDATE SET
      id = excluded.id, key_id = excluded.key_id, wrapped_key = excluded.wrapped_key, ciphertext = excluded.ciphertext,
      created_at = excluded.created_at
  `);
}

export const requestOf = (db: Queryable, connectionId: string): Promise<RequestRow | null> =>
  db.maybeOne(sql.type(RequestRow)`
    SELECT ${requestColumns} FROM certificate_requests WHERE connection_id = ${connectionId}
  `);

const TABLES_WITH_KEYS = ['certificates', 'certificate_requests', 'acme_orders'] as const;
const SealedKey = RequestRow.pick({
  id: true,
  tenant_id: true,
  connection_id: true,
  key_id: true,
  wrapped_key: true,
  ciphertext: true,
});
export type SealedKey = z.infer<typeof SealedKey>;

/** Calls the function with every private key, one locked row at a time, and saves what it returns unless it is null. */
export async function replaceKeys(pool: Pool, change: (row: SealedKey) => Envelope | null): Promise<number> {
  let changed = 0;
  for (const name of TABLES_WITH_KEYS) {
    const table = sql.identifier([name]);
    const ids = await pool.anyFirst(sql.type(z.object({ id: z.uuid() }))`SELECT id FROM ${table}`);
    for (const id of ids)
      await pool.transaction(async (tx) => {
        const row = await tx.maybeOne(sql.type(SealedKey)`
          SELECT id, tenant_id, connection_id, key_id, wrapped_key, ciphertext FROM ${table} WHERE id = ${id} FOR UPDATE
        `);
        const fresh = row && change(row);
        if (fresh === null) return;
        await tx.query(sql.type(none)`
          UPDATE ${table} SET key_id = ${fresh.key_id}, wrapped_key = ${sql.binary(fresh.wrapped_key)},
            ciphertext = ${sql.binary(fresh.ciphertext)}
          WHERE id = ${id}
        `);
        changed++;
      });
  }
  return changed;
}
