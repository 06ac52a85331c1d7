import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { openApiDocument } from '../src/api/openapi.ts';

/** Writes what is made from the routes: the document, and the client's types from the document. `npm run openapi`. */
const ROOT = join(import.meta.dirname, '..');

const HEADER = '// Made from docs/openapi.json by `npm run openapi`; changes here are lost.\n';

const document = openApiDocument();
await write('docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`);
await write('client/schema.d.ts', HEADER + astToString(await openapiTypescript(document as unknown as OpenAPI3)));

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(ROOT, path)), { recursive: true });
  await writeFile(join(ROOT, path), content);
}
