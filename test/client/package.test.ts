import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { olderNode } from '../support/servers/node-versions.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = join(import.meta.dirname, '../..');

const execute = promisify(execFile);
const run = async (command: string, args: string[], cwd: string): Promise<string> =>
  (await execute(command, args, { cwd, timeout: 60_000 })).stdout;

/** Packs the client, and installs the tarball in an empty project. Returns the names of the packed files. */
async function installClient(project: string): Promise<string[]> {
  const checkout = await tempFolder();
  for (const name of ['client', 'tsconfig.json', 'package.json'])
    await cp(join(ROOT, name), join(checkout, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  await run('npm', ['run', '-s', 'build:client'], checkout);
  const [{ filename, files }] = JSON.parse(await run('npm', ['pack', '--json'], join(checkout, 'client'))) as [
    { filename: string; files: { path: string }[] },
  ];
  const installed = join(project, 'node_modules', 'domain-connection-client');
  await mkdir(installed, { recursive: true });
  await run('tar', ['xzf', join(checkout, 'client', filename), '--strip-components=1', '-C', installed], project);
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    await cp(join(ROOT, 'node_modules', name), join(project, 'node_modules', name), { recursive: true });
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'theirs', type: 'module' }));
  return files.map(({ path }) => path);
}

/** A separate project in which the packed package is installed. */
let project: string;
let packed: string[];
let server: Server;
let baseUrl: string;
beforeAll(async () => {
  project = await tempFolder();
  packed = await installClient(project);
  server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: [{ id: request.headers.authorization }], next_cursor: null }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const SECRET = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=';

/** Writes a program that calls the service, and accepts a signed webhook but no other. */
async function writeProgram(name: string): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const body = JSON.stringify({ type: 'domain.added', data: { connection: { hostname: 'bücher.example' } } });
  const signature = `sha256=${createHmac('sha256', SECRET).update(`${now}.${body}`).digest('hex')}`;
  const headers = { 'X-Svc-Timestamp': String(now), 'X-Svc-Signature': signature };
  const text = `
    import { createClient, verifyWebhook, WebhookVerificationError, type OpenOptions } from 'domain-connection-client';
    const options: OpenOptions = { applicationId: 'a', token: 't', theme: { radius: '4px' } };
    if (options.theme?.radius === undefined) throw new Error('The types of the widget are missing.');
    const { data } = await createClient({ baseUrl: ${JSON.stringify(baseUrl)}, credential: 'k' }).GET('/v1/connections');
    const headers = ${JSON.stringify(headers)};
    const body = ${JSON.stringify(body)};
    const event = await verifyWebhook(body, headers, ${JSON.stringify(SECRET)});
    const forged = await verifyWebhook(body + ' ', headers, ${JSON.stringify(SECRET)}).catch((error: unknown) => error);
    const hostname = event.type === 'domain.added' ? event.data.connection.hostname : '';
    const refusal = forged instanceof WebhookVerificationError ? forged.code : 'believed';
    console.log([data?.data[0]?.id, hostname, refusal].join(' '));
  `;
  await writeFile(join(project, name), text);
  return join(project, name);
}

const EXPECTED = 'Bearer k bücher.example bad_signature\n';

const MODULES = [
  'edge',
  'errors',
  'idempotent-paths',
  'index',
  'reliable-fetch',
  'resources',
  'wait-until',
  'webhooks',
];
/** Modules that have types only. */
const TYPES = ['schema', 'widget'];

test('the package contains modules, their types, a README and a licence, and nothing else', () => {
  const files = [
    ...['LICENSE', 'README.md', 'package.json'],
    ...MODULES.map((name) => `dist/${name}.js`),
    ...[...MODULES, ...TYPES].map((name) => `dist/${name}.d.ts`),
  ];
  expect(packed.toSorted()).toEqual(files.toSorted());
});

test('the packed client compiles in a plain project and runs on every Node that it supports', async () => {
  await writeProgram('plain.ts');
  const options = { module: 'nodenext', target: 'es2023', strict: true, skipDefaultLibCheck: true, types: [], lib: ['es2023', 'dom'] }; // prettier-ignore
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['plain.ts'] }));
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project], project);
  for (const node of [await olderNode(20), await olderNode(22), process.execPath])
    expect(await run(node, ['plain.js'], project)).toBe(EXPECTED);
});

test('the packed client runs from a browser bundle without Node modules', async () => {
  const entry = await writeProgram('bundled.ts');
  const outfile = join(project, 'bundle.mjs');
  await build({ entryPoints: [entry], bundle: true, platform: 'browser', format: 'esm', target: 'es2022', outfile });
  expect(await readFile(outfile, 'utf8')).not.toMatch(/node:|require\(/);
  expect(await run(process.execPath, [outfile], project)).toBe(EXPECTED);
});
