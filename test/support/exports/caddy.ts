import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IssuedCertificate } from '../certificate-authority.ts';

/** Folder of Let's Encrypt in Caddy's storage, which Caddy names after the URL of the directory. */
export const LETS_ENCRYPT = 'acme-v02.api.letsencrypt.org-directory';

/**
 * Writes the files of a certificate as Caddy's file storage lays them out. test/edge/certificates.test.ts reads a storage
 * that Caddy wrote, without a wildcard; that its star is written as `wildcard_` is not tested there.
 */
export async function writeSite(
  storage: string,
  hostname: string,
  { chain, key }: IssuedCertificate,
  { issuer = LETS_ENCRYPT, metadata = {} }: { issuer?: string; metadata?: object } = {},
): Promise<string> {
  const name = hostname.replace('*', 'wildcard_');
  const folder = join(storage, 'certificates', issuer, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.crt`), chain);
  await writeFile(join(folder, `${name}.key`), key, { mode: 0o600 });
  const described = { sans: [hostname], issuer_data: { url: 'https://acme.example/cert/1' }, ...metadata };
  await writeFile(join(folder, `${name}.json`), JSON.stringify(described, null, '\t'));
  return folder;
}
