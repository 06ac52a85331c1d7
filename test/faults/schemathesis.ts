import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '../../src/embedded/run-tool.ts';
import { pythonPackages } from '../support/servers/python-packages.ts';

interface Fuzzed {
  ok: boolean;
  output: string;
}

/**
 * Generates requests from a served OpenAPI document, one by one and along its links, and checks the answers against it.
 */
export async function fuzzWithSchemathesis(
  baseUrl: string,
  credential: string,
  { examples, folder }: { examples: number; folder: string },
): Promise<Fuzzed> {
  const packages = await pythonPackages('schemathesis', 'schemathesis-requirements.txt');
  const config = join(folder, 'schemathesis.toml');
  const document = join(folder, 'openapi.json');
  await writeFile(document, await withoutForeignPatterns(baseUrl));
  // 502 means that a third party (a biller, a provider) is unreachable, 503 that Temporal is. Both are documented.
  await writeFile(config, '[checks.not_a_server_error]\nexpected-statuses = ["2xx", "3xx", "4xx", 502, 503]\n');
  const checks = ['not_a_server_error', 'response_schema_conformance', 'status_code_conformance', 'content_type_conformance']; // prettier-ignore
  return runTool('python3', [
    '-m', 'schemathesis.cli', '--config-file', config, 'run', document,
    '--url', baseUrl, '--header', `Authorization: Bearer ${credential}`,
    '--checks', checks.join(), '--max-examples', String(examples), '--workers', '2',
    '--request-timeout', '30', '--no-color',
  ], { cwd: folder, env: { ...process.env, PYTHONPATH: packages } }); // prettier-ignore
}

/**
 * Returns a document without patterns that use Unicode classes. Python does not support them, and would skip the
 * operation.
 */
async function withoutForeignPatterns(baseUrl: string): Promise<string> {
  const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as unknown;
  return JSON.stringify(document, (key, value: unknown) =>
    key === 'pattern' && typeof value === 'string' && value.includes('\\p{') ? undefined : value,
  );
}
