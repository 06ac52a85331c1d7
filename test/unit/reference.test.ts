import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { groupsOf, type OpenApi } from '../../src/reference/document.ts';
import { llmsText, sectionsOf } from '../../src/reference/llms.ts';
import { samplesOf } from '../../src/reference/samples.ts';
import { tempFolder } from '../support/temp-folder.ts';

jest.setTimeout(120_000);

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const document = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as OpenApi;
const operations = groupsOf(document).flatMap((group) => group.operations);
const samples = operations.map((operation) => ({ operation, ...samplesOf(operation, 'https://domains.example.net') }));

test('the reference has every operation of the document once', () => {
  const ids = Object.values(document.paths).flatMap((item) => Object.values(item).map((one) => one.operationId));
  expect(operations.map(({ id }) => id).sort()).toEqual(ids.sort());
});

test('every TypeScript sample compiles against the client', async () => {
  const folder = await tempFolder();
  const files = samples.map((_, i) => join(folder, `sample-${i}.ts`));
  await Promise.all(samples.map(({ typescript }, i) => writeFile(files[i]!, typescript)));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    allowImportingTsExtensions: true,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths: { 'domain-connection-client': [join(ROOT, 'client/index.ts')] },
  });
  const problems = files.flatMap((file, i) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => `${samples[i]!.operation.id}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  });
  expect(problems).toEqual([]);
});

test('every Go sample is formatted, and every Python sample and curl command can be parsed', async () => {
  const folder = await tempFolder();
  const write = (extension: string, code: (sample: (typeof samples)[number]) => string) =>
    Promise.all(
      samples.map(async (sample, i) => {
        const file = join(folder, `sample-${i}.${extension}`);
        await writeFile(file, code(sample));
        return file;
      }),
    );
  const go = await write('go', (sample) => sample.go);
  expect(await run('gofmt', ['-l', '-e', ...go])).toEqual({ stdout: '', stderr: '' });
  const python = await write('py', (sample) => sample.python);
  await run('python3', ['-c', 'import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name).read())', ...python]);
  const shell = await write('sh', (sample) => sample.curl);
  for (const file of shell) await run('sh', ['-n', file]);
});

test('/llms.txt has a line for each page that docs/README.md lists, with an absolute address', () => {
  const readme = '# Docs\n\n## For tenants\n\n- [api.md](api.md): the API.\n- [x](../client/README.md): the client.\n';
  const sections = sectionsOf(readme, (path) => (path === 'docs/api.md' ? 'Use the API' : 'Client'));
  expect(llmsText('https://domains.example.net', sections)).toContain(
    '## For tenants\n\n- [Use the API](https://domains.example.net/docs/api.md): the API.\n- [Client](https://domains.example.net/client/README.md): the client.\n',
  );
});
