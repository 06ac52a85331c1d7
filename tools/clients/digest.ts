import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientDocument } from './document.ts';

const CLIENTS = join(import.meta.dirname, '../../clients');

/** File with the digests of the generated code and of everything from which it was generated. */
export const DIGEST_FILE = join(CLIENTS, 'generated.sha256');

/** The generated parts of the Python package. */
export const PYTHON_PARTS = ['api', 'models', 'client.py', 'errors.py', 'types.py'];

/** Returns the digests of the inputs (the document, the generators' settings and versions) and of the generated code. */
export function currentDigests(): string {
  const inputs = createHash('sha256').update(JSON.stringify(clientDocument()));
  for (const name of ['go.mod', 'go.yaml', 'python.yaml', 'requirements.txt'])
    inputs.update(readFileSync(join(import.meta.dirname, name)));
  const code = createHash('sha256');
  const python = PYTHON_PARTS.map((part) => `python/domain_connection_client/${part}{,/**/*.py}`);
  for (const name of globSync(['go/*.gen.go', ...python], { cwd: CLIENTS }).toSorted())
    if (/\.(go|py)$/.test(name)) code.update(name).update(readFileSync(join(CLIENTS, name)));
  return `${inputs.digest('hex')}  inputs\n${code.digest('hex')}  code\n`;
}
