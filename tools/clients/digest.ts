import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientDocument } from './document.ts';

/** File with the digest of everything from which the clients were generated. */
export const DIGEST_FILE = join(import.meta.dirname, '../../clients/generated.sha256');

/** Returns the digest of the document, of the generators' settings and of their versions. */
export function currentDigest(): string {
  const digest = createHash('sha256').update(JSON.stringify(clientDocument()));
  for (const name of ['go.mod', 'go.yaml', 'python.yaml', 'requirements.txt'])
    digest.update(readFileSync(join(import.meta.dirname, name)));
  return `${digest.digest('hex')}\n`;
}
