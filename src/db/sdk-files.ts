import { z } from 'zod';
import { none, sql, type Queryable } from './pool.ts';

/** Stores a file that pages pin. Its name contains its hash, so an existing file is the same. */
export async function keepSdkFile(db: Queryable, name: string, body: Buffer): Promise<void> {
  await db.query(sql.type(none)`
    INSERT INTO sdk_files (name, body) VALUES (${name}, ${sql.binary(body)}) ON CONFLICT (name) DO NOTHING
  `);
}

export const findSdkFile = (db: Queryable, name: string): Promise<Buffer | null> =>
  db.maybeOneFirst(sql.type(z.object({ body: z.instanceof(Buffer) }))`SELECT body FROM sdk_files WHERE name = ${name}`);
