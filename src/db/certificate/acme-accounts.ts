import { z } from 'zod';
import { Envelope } from '../envelope.ts';
import { none, sql, type Queryable } from '../pool.ts';

const AccountRow = z.object({
  directory: z.string(),
  id: z.uuid(),
  url: z.string().nullable(),
  ...Envelope.shape,
  created_at: z.date(),
});
export type AccountRow = z.infer<typeof AccountRow>;

const columns = sql.fragment`directory, id, url, key_id, wrapped_key, ciphertext, created_at`;

export const accountOf = (db: Queryable, directory: string): Promise<AccountRow | null> =>
  db.maybeOne(sql.type(AccountRow)`SELECT ${columns} FROM acme_accounts WHERE directory = ${directory}`);

export const listAccounts = (db: Queryable): Promise<readonly AccountRow[]> =>
  db.any(sql.type(AccountRow)`SELECT ${columns} FROM acme_accounts`);

/** Saves the account's key under another master key. The key itself never changes, so a concurrent writer saves the same. */
export async function saveAccountKey(db: Queryable, row: AccountRow): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE acme_accounts SET key_id = ${row.key_id}, wrapped_key = ${sql.binary(row.wrapped_key)},
      ciphertext = ${sql.binary(row.ciphertext)}
    WHERE id = ${row.id}
  `);
}

/** Saves a new account, unless another worker was faster, and returns the one that is stored. */
export async function addAccount(db: Queryable, row: Omit<AccountRow, 'url'>): Promise<AccountRow> {
  await db.query(sql.type(none)`
    INSERT INTO acme_accounts (directory, id, key_id, wrapped_key, ciphertext, created_at)
    VALUES (${row.directory}, ${row.id}, ${row.key_id}, ${sql.binary(row.wrapped_key)}, ${sql.binary(row.ciphertext)},
      ${sql.timestamp(row.created_at)})
    ON CONFLICT (directory) DO NOTHING
  `);
  return db.one(sql.type(AccountRow)`SELECT ${columns} FROM acme_accounts WHERE directory = ${row.directory}`);
}

export async function saveAccountUrl(db: Queryable, directory: string, url: string): Promise<void> {
  await db.query(sql.type(none)`UPDATE acme_accounts SET url = ${url} WHERE directory = ${directory}`);
}

/** Saves which key makes the labels of delegated validation, once. */
export async function keepDelegationKey(db: Queryable, fingerprint: string): Promise<void> {
  await db.query(sql.type(none)`
    INSERT INTO acme_delegation (fingerprint) VALUES (${fingerprint}) ON CONFLICT DO NOTHING
  `);
}

export const delegationKey = (db: Queryable): Promise<string | null> =>
  db.maybeOneFirst(sql.type(z.object({ fingerprint: z.string() }))`SELECT fingerprint FROM acme_delegation`);
