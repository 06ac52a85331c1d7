import { build } from 'esbuild';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { runningServers } from '../../src/embedded/orphans.ts';
import { freePort, isListening } from '../../src/embedded/ports.ts';
import { obtainServer } from '../../src/embedded/servers.ts';
import { codeBlock, codeBlocks } from '../support/code-blocks.ts';
import { Service, type Demo } from '../support/fixtures/service.ts';
import { startSnippetPages, type SnippetPages } from '../support/fixtures/snippet-page.ts';
import { untilTitle } from '../support/fixtures/widget-lab.ts';
import { connect } from '../support/fixtures/widget-steps.ts';
import { launchChromium } from '../support/servers/chromium.ts';
import { olderNode } from '../support/servers/node-versions.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/**
 * Executes the code blocks of the documents as a reader would, against one running service. A block that no test executes
 * must be in one of the two tables, so a new block fails the last test until it is tested or excused.
 */
jest.setTimeout(180_000);

const ROOT = join(import.meta.dirname, '../..');

/** Blocks that other tests execute. */
const ELSEWHERE: readonly (readonly [page: string, begins: string, test: string])[] = [
  ['docs/runbooks/a-domain-changes-hands.md', 'SELECT domain', 'test/registrations/check.test.ts'],
  ...[
    'import { ApiError',
    'import { createServer',
    'import express',
    'import os\nimport sys',
    'import os\nfrom http.server import BaseHTTPRequestHandler, HTTPServer\n\nfrom domain_connection_client import Webhook',
    'import os\nfrom http.server import BaseHTTPRequestHandler, HTTPServer\n\nfrom domain_connection_client import Edge',
    'package main\n\nimport (\n\t"context"',
    'package main\n\nimport (\n\t"fmt"\n\t"io"',
    'package main\n\nimport (\n\t"fmt"\n\t"log"',
    'pip install',
    'go mod edit',
  ].map((begins) => ['docs/clients.md', begins, 'test/client/languages.test.ts'] as const),
  ['docs/webhooks.md', 'import { createHmac', 'test/webhooks/verifiers.test.ts'],
  ['docs/webhooks.md', 'import hashlib', 'test/webhooks/verifiers.test.ts'],
  ['docs/webhooks.md', 'func verify', 'test/webhooks/verifiers.test.ts'],
  ['docs/webhooks.md', "require 'json'", 'test/webhooks/verifiers.test.ts'],
  ['docs/webhooks.md', '<?php', 'test/webhooks/verifiers.test.ts'],
  ['docs/traces.md', 'OTEL_EXPORTER_OTLP_ENDPOINT=', 'test/main/traces.test.ts'],
  ['docs/edge.md', 'import { createHash', 'test/edge/verifiers.test.ts'],
  ['docs/edge.md', 'import base64', 'test/edge/verifiers.test.ts'],
  ['docs/edge.md', 'type RequestIDs', 'test/edge/verifiers.test.ts'],
  ['docs/edge.md', "require 'digest'", 'test/edge/verifiers.test.ts'],
  ['docs/edge.md', '<?php', 'test/edge/verifiers.test.ts'],
  ['docs/edge.md', 'listener_wrappers {', 'test/edge/in-front.test.ts'],
  ['docs/workflows.md', 'WORKER_DEPLOYMENT_NAME=connections', 'test/workflows/deploys.test.ts'],
  ['docs/workflows.md', 'temporal worker deployment', 'test/workflows/deploys.test.ts'],
  ['docs/workflows.md', 'temporal workflow reset', 'test/workflows/deploys.test.ts'],
];

/** Blocks that cannot run here, with the reason. */
const CANNOT_RUN: readonly (readonly [page: string, begins: string, why: string])[] = [
  ['README.md', 'git clone', 'needs the URL of a repository; start.test.ts starts the service'],
  ['README.md', ' your backend', 'is a drawing'],
  ['README.md', 'docker build', 'needs a Docker engine; `npm run test:containers` types it'],
  ['README.md', 'curl -sX POST', 'needs the containers; `npm run test:containers` types it'],
  ['docs/certificates.md', 'PUT /v1', 'needs a certificate for the hostname; certificates.test.ts uploads one'],
  ...['{ "dry_run"', '{ "probe"'].map(
    (body) =>
      ['docs/certificates.md', `POST /v1/connections/{id}/cutover\n${body}`, 'cutover.test.ts moves a site'] as const,
  ),
  ['docs/clients.md', 'npm install', 'is a line of a block in README.md, which runs'],
  [
    'docs/concepts.md',
    'sequenceDiagram\n  actor C as Customer\n  participant W as Widget\n  participant S as Service\n  participant D as DNS provider\n  W->>S: POST /v1/connections\n  S-->>W: ch',
    'is a drawing',
  ],
  ['docs/concepts.md', 'sequenceDiagram\n  participant B', 'is a drawing'],
  ['docs/concepts.md', 'sequenceDiagram\n  actor V', 'is a drawing'],
  [
    'docs/concepts.md',
    'sequenceDiagram\n  actor C as Customer\n  participant W as Widget\n  participant S as Service\n  participant D as DNS provider\n  W->>S: POST /v1/connections\n  S->>D',
    'is a drawing',
  ],
  ['docs/console.md', 'CONSOLE_OIDC_ISSUER=', 'needs an OpenID provider; console-oidc.test.ts signs in at one'],
  ['docs/agents.md', '> tools/list', 'is the transcript of a session; mcp.test.ts makes the same calls'],
  ['docs/traces.md', 'POST /v1/connections (', 'is the output of one run of traces.test.ts'],
  ['docs/domain-connect.md', 'npm run -s cli -- domain-connect check', 'needs the DNS of a real domain'],
  [
    'docs/domain-connect.md',
    'npm run -s cli -- domain-connect record-template',
    'needs the settings of Domain Connect; cli-domain-connect.test.ts runs it',
  ],
  ['docs/edge.md', 'npm run -s build:edge', 'needs Go and minutes; test:module runs it'],
  ['docs/edge.md', 'FROM golang', 'needs a Docker engine; test:module builds the same sources'],
  ['docs/edge.md', '[Service]', 'needs systemd; restarts.test.ts replaces Caddy in the same way'],
  ['docs/edge.md', 'systemctl enable', 'needs systemd; restarts.test.ts replaces Caddy in the same way'],
  ['docs/edge.md', 'table inet edge', 'needs nftables; restarts.test.ts switches new connections with a proxy'],
  [
    'docs/migrate.md',
    'npm run -s cli -- import --from caddy',
    'needs an approved target; cli-import.test.ts imports with one',
  ],
  ['docs/migrate.md', 'cp -r', "needs another server's storage; cli-import.test.ts imports one"],
  ['docs/migrate.md', 'for page in', 'needs an account at Cloudflare; cli-import.test.ts imports its answers'],
  ['docs/migrate.md', 'curl -s -H', 'needs an account at Approximated; cli-import.test.ts imports its answers'],
  [
    'docs/migrate.md',
    'curl --connect-to',
    'needs an edge and a hostname that moves; agent-certificates.test.ts asks its agent',
  ],
  ['docs/operations.md', 'ssh -L', 'needs a second machine'],
  ['docs/runbooks/back-up-and-restore.md', 'pg_dump', 'needs the client programs of Postgres 18'],
  ['docs/runbooks/release.md', 'npm run -s build:client', 'is in README.md, whose block runs'],
  ['docs/runbooks/release.md', 'docker build', 'needs a Docker engine'],
  ['docs/runbooks/release.md', 'npm run -s sbom', 'writes into the checkout; compose.test.ts reads the same list'],
  [
    'docs/runbooks/upgrade-and-roll-back.md',
    'docker build -t domain-connection-service .\ndocker compose run --rm migrate\nfor',
    '`npm run test:containers` types it',
  ],
  [
    'docs/runbooks/upgrade-and-roll-back.md',
    'docker build -t domain-connection-service .\ndocker compose run --rm migrate\ndocker',
    '`npm run test:containers` types it',
  ],
  ['docs/widget.md', '<script setup>', "needs Vue's compiler"],
  ['docs/workflows.md', "if (patched('", 'is one line of a workflow'],
  ['docs/workflows.md', 'node test/workflows/record-histories.ts', 'writes new files into the checkout'],
];

let service: Service;
let demo: Demo;
let browser: Browser;
let pages: SnippetPages;
let projects: string;
let receiverPort: number;
/** A sandbox hostname that is live. The documents call it shop.example.com. */
let liveHostname: string;
/** Variables that the documents ask the reader to set. */
const variables: Record<string, string> = {};

beforeAll(async () => {
  // No name server and no provider answers, so no test sends a packet elsewhere.
  const alone = {
    DNS_RESOLVERS: '127.0.0.1:9',
    DNS_ALLOW_PRIVATE: 'true',
    PROVIDER_CLOUDFLARE_URL: 'http://127.0.0.1:9',
  };
  [service, browser] = await Promise.all([
    tempFolder().then((folder) => Service.start(folder, alone)),
    launchChromium(),
  ]);
  demo = await service.demo();
  [projects, receiverPort] = [await tempFolder(), await freePort()];
  pages = await startSnippetPages(async () => {
    const { body } = await service.call('POST', '/tokens', { application_id: demo.test.application_id });
    return String(body['auth_token']);
  });
  const origins = { allowed_origins: [pages.origin, demo.base_url] };
  await service.call('PATCH', `/applications/${demo.test.application_id}`, origins);
  liveHostname = `n${crypto.randomUUID().slice(0, 8)}.auto.test`;
  await service.untilLive(await service.connect(liveHostname));
  const temporal = dirname(await obtainServer('temporal', { onProgress: () => undefined }));
  Object.assign(variables, {
    KEY: demo.test.key,
    APP: demo.test.application_id,
    TEMPORAL_ADDRESS: demo.temporal_address,
    DATA_DIR: service.dataDir,
    PATH: [dirname(process.execPath), process.env['PATH'], temporal].join(delimiter),
    npm_config_prefer_offline: 'true',
  });
}, 240_000);
afterAll(async () => {
  await browser.close();
  await pages.stop();
  await service.stop();
});

const executed = new Set<string>();
const keyOf = (page: string, begins: string) => codeBlock(page, begins).code;

/** Declares the test that executes the block of a page that begins with this text. */
function snippet(page: string, begins: string, body: (code: string) => Promise<void>): void {
  executed.add(keyOf(page, begins));
  test(`${page}: ${begins}`, () => body(here(codeBlock(page, begins).code)));
}

/** Replaces the addresses and hostnames of the documents by those of this test. */
const here = (code: string): string =>
  code
    .replaceAll('http://127.0.0.1:8080', () => demo.base_url)
    .replaceAll('https://domains.example.net', () => demo.base_url)
    .replaceAll('http://127.0.0.1:3000', () => `http://127.0.0.1:${receiverPort}`)
    .replaceAll('http://localhost:3000', () => `http://localhost:${receiverPort}`)
    .replaceAll('listen(3000)', () => `listen(${receiverPort}, '127.0.0.1')`)
    .replaceAll('shop.example.com', () => liveHostname);

interface Ran {
  out: string;
  err: string;
  code: number;
}

async function run(program: string, args: string[], cwd = projects): Promise<Ran> {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...variables }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, exit] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { out, err, code: exit[0] as number };
}

/** Runs lines as if pasted into a shell, and stops at the first that fails. An HTTP error is a failure too. */
async function shell(code: string, cwd = ROOT): Promise<string> {
  const { out, err, code: exit } = await run('bash', ['-euo', 'pipefail', '-c', `curl() { command curl --fail-with-body "$@"; echo; }\n${code}`], cwd); // prettier-ignore
  if (exit !== 0) throw new Error(`Exit code ${exit}:\n${out}${err}`);
  return out;
}

const MORE_THAN_ONE_NODE = [
  ['20', () => olderNode(20)],
  ['22', () => olderNode(22)],
  ['24', () => Promise.resolve(process.execPath)],
] as const;

describe('the first day', () => {
  /** Turns an output in the documents, which is shortened, into one expression for each of its lines. */
  const linesLike = (code: string): RegExp[] =>
    code
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(
        (line) =>
          new RegExp(
            `^${line
              .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
              .replaceAll(/sk_test_\w+…|…|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|#\d+|\b8233\b|\b\d+ s\b/g, '.+')}$`,
            'm',
          ),
      );

  snippet('README.md', 'Ready after', (code) => {
    for (const line of linesLike(code)) expect(service.output).toMatch(line);
    return Promise.resolve();
  });

  snippet('README.md', 'curl -s http', async (code) => {
    const [created = '', listed = ''] = (await shell(code)).trim().split('\n');
    expect(JSON.parse(created)).toMatchObject({ hostname: 'shop-1.auto.test', state: 'pending_ownership' });
    expect(JSON.parse(listed)).toMatchObject({ data: [{ hostname: 'shop-1.auto.test' }] });
  });

  snippet('README.md', '{"id":', async (code) => {
    const { body } = await service.call('GET', '/connections?hostname=shop-1.auto.test');
    await service.untilLive((body['data'] as { id: string }[])[0]!.id);
    const { body: list } = await service.call('GET', '/connections?hostname=shop-1.auto.test');
    const [, shown] = code.split(/(?<=\})\n(?=\{)/).map((answer) => JSON.parse(answer) as { data: object[] });
    expect(list).toMatchObject({ data: [{ ...shown!.data[0], id: expect.any(String) as string }], next_cursor: null });
  });

  snippet('README.md', '  webhook', async (code) => {
    await until(() => linesLike(code).every((line) => line.test(service.output)), 30_000);
  });
});

describe('the client', () => {
  const app = () => join(projects, 'my-app');

  snippet('README.md', 'npm run -s build:client', async (code) => {
    const checkout = join(projects, 'domain-connection-service');
    await mkdir(checkout);
    for (const name of ['client', 'tsconfig.json', 'package.json'])
      await cp(join(ROOT, name), join(checkout, name), { recursive: true, filter: (path) => !path.endsWith('/dist') });
    await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    await shell(code, checkout);
    expect(existsSync(join(app(), 'node_modules/domain-connection-client/dist/index.js'))).toBe(true);
  });

  snippet('README.md', 'import { createClient }', async (code) => {
    for (const [version, node] of MORE_THAN_ONE_NODE) {
      await writeFile(join(app(), 'connect.mjs'), code.replaceAll('shop-2.', `shop-2-on-${version}.`));
      const { out, err } = await run(await node(), ['connect.mjs'], app());
      expect([version, err, out]).toEqual([
        version,
        '',
        expect.stringMatching(/^\{[^}]*\}\nshop-2-on-\d+.auto.test is live\n$/),
      ]);
    }
  });

  snippet('client/README.md', 'import { ApiError, createClient }', async (code) => {
    await writeFile(join(app(), 'list.ts'), code);
    const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')]; // prettier-ignore
    await writeFile(join(app(), 'package.json'), JSON.stringify({ name: 'my-app', type: 'module' }));
    const compiled = await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, 'list.ts'], app()); // prettier-ignore
    expect(compiled).toMatchObject({ out: '', code: 0 });
    for (const [, node] of MORE_THAN_ONE_NODE) {
      const { out } = await run(await node(), ['list.js'], app());
      expect(out).toMatch(new RegExp(`^${liveHostname} live$`, 'm'));
    }
  });

  snippet('client/README.md', 'import { createServer }', async (code) => {
    await writeFile(join(app(), 'receiver.mjs'), code);
    const { body } = await service.call('POST', '/webhook-endpoints', {
      application_id: demo.test.application_id,
      url: `http://127.0.0.1:${receiverPort}/`,
    });
    const env = { ...process.env, WEBHOOK_SECRET: String(body['signing_secret']) };
    const receiver = spawn(await olderNode(20), ['receiver.mjs'], { cwd: app(), env, stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
    let printed = '';
    receiver.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await until(() => isListening(receiverPort), 30_000);
    const hostname = `n${crypto.randomUUID().slice(0, 8)}.auto.test`;
    await service.connect(hostname);
    await until(() => printed.includes(`${hostname} is verified\n`), 60_000);
    expect((await fetch(`http://127.0.0.1:${receiverPort}/`, { method: 'POST', body: '{}' })).status).toBe(400);
    receiver.kill();
    await once(receiver, 'exit');
  });

  snippet('client/README.md', 'import express', async (code) => {
    const port = await freePort();
    await symlink(join(ROOT, 'node_modules/express'), join(app(), 'node_modules/express'));
    await writeFile(join(app(), 'origin.mjs'), code.replace('3001', String(port)));
    const env = { ...process.env, EDGE_SECRET: `edgesec_${Buffer.alloc(32).toString('base64')}` };
    const origin = spawn(await olderNode(20), ['origin.mjs'], { cwd: app(), env, stdio: 'inherit' });
    await until(() => isListening(port), 30_000);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(403);
    origin.kill();
    await once(origin, 'exit');
  });
});

/** Follows the page from its first block to its last one, as a new tenant does. The client was installed above. */
describe('the quickstart', () => {
  const PAGE = 'docs/quickstart.md';
  const NAME = 'shop.quickstart.auto.test';
  let shop: ChildProcess;
  let printed = '';
  let application: string;
  beforeAll(() => {
    application = variables['APP'] ?? '';
  });
  afterAll(async () => {
    variables['APP'] = application;
    shop.kill();
    await once(shop, 'exit');
  });

  snippet(PAGE, 'curl -s http://127.0.0.1:8080/v1/applications', async (code) => {
    variables['APP'] = (JSON.parse(await shell(code)) as { id: string }).id;
  });

  snippet(PAGE, 'curl -s http://127.0.0.1:8080/v1/webhook-endpoints', async (code) => {
    const { signing_secret } = JSON.parse(await shell(code)) as { signing_secret: string };
    variables['SIGNING_SECRET'] = signing_secret;
  });

  snippet(PAGE, 'import { createServer }', async (code) => {
    const folder = join(projects, 'my-app');
    await writeFile(join(folder, 'shop.mjs'), code);
    const env = { ...process.env, ...variables };
    shop = spawn(process.execPath, ['shop.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    shop.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await until(() => isListening(receiverPort), 30_000);
  });

  snippet(PAGE, 'domain.added', async (code) => {
    const page = await browser.newPage();
    await page.goto(`http://localhost:${receiverPort}/settings`);
    await page.getByRole('button', { name: 'Connect your domain' }).click();
    await connect(page, NAME);
    await untilTitle(page, 'is live');
    await until(() => code.split('\n').every((line) => printed.includes(line)), 30_000);
  });

  snippet(PAGE, 'curl -s --cacert', async (code) => {
    const { edge_https_url, edge_ca_file } = demo;
    Object.assign(variables, { VISIT_PORT: new URL(edge_https_url!).port, VISIT_CA: edge_ca_file });
    expect((await shell(code)).trim()).toBe(`Welcome to ${NAME}`);
  });
});

describe('the rules of the API', () => {
  snippet('docs/errors.md', '{\n  "error"', async (code) => {
    const { body } = await service.call('POST', '/connections', { application_id: demo.test.application_id });
    expect(body).toEqual(JSON.parse(code));
  });

  snippet('docs/api.md', 'curl -s http://127.0.0.1:8080/v1/batches', async (code) => {
    expect(JSON.parse(await shell(code))).toMatchObject({ batch_id: expect.any(String) as string });
  });

  snippet('docs/api.md', 'curl -s "http://127.0.0.1:8080/v1/applications/$APP/credentials"', async (code) => {
    expect(JSON.parse(await shell(code))).toMatchObject({ provider: 'cloudflare', label: 'main account' });
  });
});

describe('webhooks', () => {
  snippet('docs/webhooks.md', '# 1. Register', async (code) => {
    const [endpoint = '', connection = ''] = (await shell(code)).trim().split('\n');
    const { id, signing_secret } = JSON.parse(endpoint) as Record<string, string>;
    expect(signing_secret).toMatch(/^whsec_/);
    expect(JSON.parse(connection)).toMatchObject({ state: 'pending_ownership' });
    variables['ENDPOINT'] = id!;
    const deliveries = async () => {
      const { body } = await service.call('GET', `/webhook-endpoints/${id}/deliveries`);
      return body['data'] as { id: string; state: string }[];
    };
    await until(async () => (await deliveries()).length > 0, 30_000);
    variables['DELIVERY'] = (await deliveries())[0]!.id;
  });

  snippet('docs/webhooks.md', '# 3. See', async (code) => {
    const [list = '', one = ''] = (await shell(code)).trim().split('\n');
    expect(JSON.parse(list)).toMatchObject({ data: expect.any(Array) as unknown[] });
    expect(JSON.parse(one)).toMatchObject({ id: variables['DELIVERY'] });
  });

  snippet('docs/webhooks.md', '{\n  "id"', async (code) => {
    const event = JSON.parse(code) as { type: string; data: object };
    const { body } = await service.call('GET', '/events?limit=1');
    const [real] = body['data'] as Record<string, unknown>[];
    expect(event.type).toBe('domain.drift');
    expect(Object.keys(event).filter((field) => !(field in real!))).toEqual([]);
  });
});

describe('agents', () => {
  snippet('docs/agents.md', 'curl -sX POST', async (code) => {
    const { result } = JSON.parse(await shell(code)) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name)).toContain('connect');
  });

  snippet('docs/agents.md', '{\n  "mcpServers"', (code) => {
    expect(JSON.parse(code)).toMatchObject({
      mcpServers: { domains: { url: expect.stringMatching(/\/mcp$/) as string } },
    });
    return Promise.resolve();
  });
});

describe('the widget', () => {
  const isOpen = (page: Page) => page.waitForSelector('dialog.window[open]', { timeout: 30_000 });

  /** Opens the page in a new tab, and fails if one of its scripts does. */
  async function visit(html: string, policy?: string): Promise<Page> {
    pages.show(html, policy);
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(pages.origin);
    expect(problems).toEqual([]);
    return page;
  }
  const withApplication = (html: string) => html.replace("'…'", `'${demo.test.application_id}'`);

  snippet('docs/widget.md', '<script src=', async (code) => {
    await isOpen(await visit(`<!doctype html>${withApplication(code)}`));
  });

  const asModule = (code: string) =>
    `<!doctype html><script src="${demo.base_url}/sdk/v1/widget.js"></script><script type="module">${withApplication(code)}</script>`;
  const opens = async (code: string): Promise<void> => {
    await isOpen(await visit(asModule(code)));
  };
  snippet('docs/widget.md', 'const token = async', opens);
  snippet('docs/widget.md', '// Offers a link', opens);
  snippet('docs/widget.md', '// Offers to add mail', opens);

  snippet('docs/widget.md', 'script-src', async (code) => {
    const { code: example } = codeBlock('docs/widget.md', '<script src=');
    const [, script = ''] = /<script type="module">(.*?)<\/script>/s.exec(withApplication(here(example))) ?? [];
    // The page's own script is inline here, so the policy has to allow it by its hash. The widget needs nothing more.
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(script))).toString(
      'base64',
    );
    const policy = code.trim().replace('script-src', `default-src 'none'; script-src 'sha256-${hash}'`);
    const allowed = policy.replace('connect-src', "connect-src 'self'"); // to its own backend
    const html = `<!doctype html><script src="${demo.base_url}/sdk/v1/widget.js"></script><script type="module">${script}</script>`;
    await isOpen(await visit(html, allowed));
  });

  snippet('docs/widget.md', '<script\n', async (code) => {
    const manifest = (await (await fetch(`${demo.base_url}/sdk/v1/manifest.json`)).json()) as Record<string, unknown>;
    const pinned = JSON.stringify(manifest);
    const [, file = ''] = /"(widget-[\da-f]{16}\.js)"/.exec(pinned) ?? [];
    const [, integrity = ''] = new RegExp(`${file}.*?"(sha384-[^"]+)"`).exec(pinned) ?? [];
    const page = await visit(
      `<!doctype html>${code.replace('widget-0123456789abcdef.js', file).replace('sha384-…', integrity)}`,
    );
    expect(await page.evaluate('typeof Svc.open')).toBe('function');
  });

  snippet('docs/widget.md', "import { useEffect } from 'react'", async (code) => {
    const folder = await tempFolder();
    const mount = `import { render } from 'react-dom';\nrender(<ConnectDomain applicationId="${demo.test.application_id}" />, document.body);`;
    await writeFile(join(folder, 'page.jsx'), `${code}\n${mount}`);
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'page.jsx')],
      bundle: true,
      write: false,
      jsx: 'automatic',
      jsxImportSource: 'preact',
      alias: { react: 'preact/compat', 'react-dom': 'preact/compat' },
      nodePaths: [join(ROOT, 'node_modules')],
    });
    const script = `<script src="${demo.base_url}/sdk/v1/widget.js"></script><body><script>${outputFiles[0]!.text}</script>`;
    const page = await visit(`<!doctype html>${script}`);
    await page.click('text=Connect a domain');
    await isOpen(page);
  });
});

describe('operations', () => {
  snippet('docs/dashboards/README.md', 'rule_files:', async (code) => {
    const folder = await tempFolder();
    await cp(join(ROOT, 'docs/dashboards/rules.yml'), join(folder, 'rules.yml'));
    await writeFile(join(folder, 'prometheus.yml'), code);
    expect(await run('promtool', ['check', 'config', 'prometheus.yml'], folder)).toMatchObject({ code: 0 });
  });

  /** Runs SQL as the owner of the database, and takes it back. */
  async function query(code: string): Promise<void> {
    const servers = await runningServers(service.dataDir);
    const client = new pg.Client({ connectionString: servers!.database_url });
    await client.connect();
    await client.query('BEGIN');
    await client.query(code);
    await client.query('ROLLBACK');
    await client.end();
  }

  snippet('docs/operations.md', 'CREATE ROLE', async (code) => query(code.replaceAll('_login', '_login_of_the_docs')));
  snippet('docs/runbooks/the-database-fails.md', 'SELECT relname', query);

  snippet('docs/edge.md', "curl -s 'http://127.0.0.1:8080/internal/ask", async (code) => {
    expect(JSON.parse(await shell(code))).toEqual({ allow: true });
    const ask = async (query: string) => {
      const response = await fetch(`${demo.internal_url}/internal/ask${query}`);
      return [response.status, (await response.json()) as unknown];
    };
    expect(await ask('?domain=unknown.auto.test')).toEqual([403, { allow: false }]);
    expect(await ask('')).toEqual([400, { allow: false }]);
  });

  snippet('docs/workflows.md', 'temporal workflow count', async (code) => {
    expect(await shell(code)).toMatch(/Total: 0/);
  });
});

describe('the operator', () => {
  beforeAll(async () => {
    const { out } = await run('npm', ['run', '-s', 'cli', '--', 'tenant', 'create', '--name', 'Docs', '--json'], ROOT);
    variables['TENANT'] = (JSON.parse(out) as { tenant_id: string }).tenant_id;
  });
  const passes = async (code: string): Promise<void> => {
    await shell(code);
  };

  snippet('docs/migrate.md', "printf 'hostname", async (code) => {
    const out = await shell(code.replaceAll(/\b(fleet|report)\.csv/g, (file) => join(projects, file)));
    expect(out).toBe('2 rows: 2 new\n2 rows: 2 created\n');
    expect(readFileSync(join(projects, 'report.csv'), 'utf8')).toContain('_service-challenge.shop-7.auto.test');
  });
  snippet('docs/billing.md', 'npm run -s cli -- plan list', passes);
  snippet('docs/billing.md', 'npm run -s cli -- plan set', passes);
  snippet('docs/runbooks/a-provider-fails.md', 'npm run -s cli -- provider pause', passes);
  snippet('docs/runbooks/a-tenant-misbehaves.md', 'npm run -s cli -- hostname block', passes);
  snippet('docs/runbooks/a-tenant-misbehaves.md', 'npm run -s cli -- tenant suspend', passes);
  snippet('docs/runbooks/a-tenant-misbehaves.md', 'npm run -s cli -- claim release', passes);
});

describe('the console', () => {
  const LINK = /^https?:\/\/[^/]+\/console#link=[0-9A-Za-z]{43}$/;

  snippet('docs/console.md', 'curl -s http', async (code) => {
    const { url } = JSON.parse(await shell(code)) as { url: string };
    expect(url).toMatch(LINK);
  });

  snippet('docs/console.md', 'import express', async (code) => {
    const options = { cwd: ROOT, env: { ...process.env, ...variables }, stdio: 'inherit' } as const;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], options);
    const ended = once(child, 'exit');
    try {
      await until(() => isListening(receiverPort));
      const page = await fetch(`http://127.0.0.1:${receiverPort}/admin`);
      expect(await page.text()).toContain('Open the domain console');
      const answer = await fetch(`http://127.0.0.1:${receiverPort}/admin/domains`, {
        method: 'POST',
        redirect: 'manual',
      });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringMatching(LINK)]);
    } finally {
      child.kill();
      await ended;
    }
  });

  snippet('docs/console.md', 'npm run -s cli -- console link', async (code) => {
    variables['TENANT'] = demo.tenant_id;
    expect((await shell(code)).split('\n')[0]).toMatch(LINK);
  });
});

/** Posts the example of each request in the OpenAPI document, with ids of objects that exist. */
describe('the OpenAPI document', () => {
  interface Operation {
    requestBody?: { content: { 'application/json': { example: Record<string, unknown> } } };
  }
  const { paths } = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  /** Its certificate would have to be for the hostname; test/api/certificates.test.ts uploads such a one. */
  const CANNOT_BE_VALID = 'put /v1/connections/{id}/certificate';
  const requests = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { requestBody }]) =>
      requestBody && `${method} ${path}` !== CANNOT_BE_VALID
        ? [[`${method} ${path}`, method, path, requestBody.content['application/json'].example] as const]
        : [],
    ),
  );

  /** Creates an object for each kind of path parameter. */
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    const application_id = demo.test.application_id;
    const made = async (path: string, body: object) => String((await service.call('POST', path, body)).body['id']);
    ids['connections'] = await service.connect(`n${crypto.randomUUID().slice(0, 8)}.auto.test`);
    ids['applications'] = application_id;
    ids['webhook-endpoints'] = await made('/webhook-endpoints', {
      application_id,
      url: `http://127.0.0.1:${receiverPort}/`,
    });
    ids['cid'] = await made(`/applications/${application_id}/credentials`, {
      provider: 'cloudflare',
      credentials: { api_token: 'your-api-token' },
    });
    await service.untilLive(ids['connections']);
  });

  test.each(requests)('the example of %s is accepted', async (_name, method, path, example) => {
    const [, resource = ''] = /^\/v1\/([\w-]+)/.exec(path) ?? [];
    const target = path
      .replace('/v1', '')
      .replace('{id}', ids[resource] ?? '')
      .replace('{cid}', ids['cid'] ?? '');
    const body = 'application_id' in example ? { ...example, application_id: demo.test.application_id } : example;

    const { status, body: answer } = await service.call(method.toUpperCase(), target, body);

    expect([status, answer]).not.toEqual([400, expect.anything()]);
    expect([status, answer]).not.toEqual([404, expect.anything()]);
  });
});

test('every code block is executed by a test or has a reason why it cannot be', () => {
  const excused = [...ELSEWHERE, ...CANNOT_RUN].map(([page, begins]) => keyOf(page, begins));
  const neither = codeBlocks().filter(({ code }) => !executed.has(code) && !excused.includes(code));

  expect(neither.map(({ page, code }) => `${page}: ${code.split('\n', 1).join()}`)).toEqual([]);
  for (const [page, , file] of ELSEWHERE) expect(readFileSync(join(ROOT, file), 'utf8')).toContain(page);
});
