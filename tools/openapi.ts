import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { openApiDocument } from '../src/api/openapi.ts';
import { API_PREFIX } from '../src/api/route.ts';
import { routes } from '../src/api/routes/all.ts';
import { providersPage } from './providers-page.ts';
import { withRoomsTable } from './rooms-table.ts';
import { withScopesTable } from './scopes-table.ts';

/**
 * Writes the generated files (`npm run openapi`), or with --check only lists the files that are out of date:
 * - docs/openapi.json, from the routes of the API
 * - client/schema.d.ts, the client's types, from the OpenAPI document
 * - client/idempotent-paths.ts, the paths whose POST supports Idempotency-Key
 * - client/widget.d.ts, the types of the widget, which the client publishes
 * - docs/providers.md, from the descriptors of the DNS providers (src/providers/<provider>/descriptor.ts)
 * - the table of scopes in docs/api.md, from the routes of the API
 * - the table of folders in CONTRIBUTING.md, from the import rules of dependency-cruiser
 */
const ROOT = join(import.meta.dirname, '..');
const HEADER = '// Generated from docs/openapi.json by `npm run openapi`. Do not edit.\n';
const WIDGET_HEADER = '// Copied from src/widget/types.ts by `npm run openapi`. Do not edit.\n';

const document = openApiDocument();
const code = { ...(await resolveConfig(join(ROOT, 'client/index.ts'))), parser: 'typescript' };
const markdown = { ...(await resolveConfig(join(ROOT, 'CONTRIBUTING.md'))), parser: 'markdown' };
const contributing = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
const files = {
  'CONTRIBUTING.md': await format(withRoomsTable(contributing), markdown),
  'docs/api.md': await format(withScopesTable(await readFile(join(ROOT, 'docs/api.md'), 'utf8')), markdown),
  'docs/providers.md': await format(await providersPage(), markdown),
  'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'client/idempotent-paths.ts': HEADER + (await idempotentPaths()),
  'client/widget.d.ts': WIDGET_HEADER + (await readFile(join(ROOT, 'src/widget/types.ts'), 'utf8')),
  'client/schema.d.ts': HEADER + astToString(await openapiTypescript(document as unknown as OpenAPI3)),
};

/** Lets the client repeat a creation whose answer was lost. */
function idempotentPaths(): Promise<string> {
  const list = routes.filter((route) => route.idempotent).map(({ path }) => API_PREFIX + path);
  return format(`export const IDEMPOTENT_PATHS: readonly string[] = ${JSON.stringify(list)};`, code);
}

for (const [path, content] of Object.entries(files)) {
  const file = join(ROOT, path);
  if (!process.argv.includes('--check')) await writeFile(file, content);
  else if ((await readFile(file, 'utf8')) !== content) {
    process.stdout.write(`${path} is out of date. Run \`npm run openapi\`.\n`);
    process.exitCode = 1;
  }
}
