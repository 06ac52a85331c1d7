import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { openApiDocument } from '../src/api/openapi.ts';

/**
 * Writes what is made from the routes: the document, and the client's types from the document. `npm run openapi`. With
 * --check it only says which file is not what it should be.
 */
const ROOT = join(import.meta.dirname, '..');
const HEADER = '// Made from docs/openapi.json by `npm run openapi`; changes here are lost.\n';

const document = openApiDocument();
const files = {
  'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'client/schema.d.ts': HEADER + astToString(await openapiTypescript(document as unknown as OpenAPI3)),
};

for (const [path, content] of Object.entries(files)) {
  const place = join(ROOT, path);
  if (!process.argv.includes('--check')) await writeFile(place, content);
  else if ((await readFile(place, 'utf8')) !== content) {
    process.stdout.write(`${path} is not what the routes say. Run \`npm run openapi\`.\n`);
    process.exitCode = 1;
  }
}
