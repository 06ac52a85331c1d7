import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '../../src/embedded/run-tool.ts';
import { SUPERUSER_URL_VARIABLE } from '../support/fixtures/database.ts';
import { tempFolder } from '../support/temp-folder.ts';

const COMMAND = join(__dirname, '..', 'provider.ts');

test('the tests of one provider run without Postgres, Temporal and a workflow bundle', async () => {
  const folder = await tempFolder();
  const env = { ...process.env, [SUPERUSER_URL_VARIABLE]: undefined, CACHE_DIR: folder };
  const { output } = await runTool(process.execPath, [COMMAND, 'vultr', '-t', 'concurrent writers'], { env });

  expect(output).toContain('2 passed, 0 failed');
  expect(output).not.toContain('Creating a database');
  expect(await readdir(folder)).toEqual([]);
});

test('an unknown provider is answered with the list of providers', async () => {
  const { ok, output } = await runTool(process.execPath, [COMMAND, 'nobody']);
  expect(ok).toBe(false);
  expect(output).toMatch(/"nobody" has no double.*vultr/);
});
