import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { EdgeVerificationError, verifyEdgeRequest } from '../../client/edge.ts';
import { createEdgeSecret, dropEdgeSecret } from '../../src/certificates/edge-secrets.ts';
import { noteEdgeSecrets } from '../../src/db/edge/edge-secrets.ts';
import { none, sql } from '../../src/db/pool.ts';
import { saveRoute } from '../../src/db/connection/own-routes.ts';
import type { OwnRoute } from '../../src/domain/edge/own-route.ts';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { startSignedOrigin, type Received, type SignedOrigin } from '../support/doubles/signed-origin.ts';
import { startEdgeWithAgent, type EdgeWithAgent } from '../support/fixtures/edge-agent-lab.ts';
import { makeCertificate } from '../support/servers/pebble.ts';
import { tempFolder } from '../support/temp-folder.ts';

let lab: EdgeWithAgent;
let plain: SignedOrigin;
let secure: SignedOrigin;
/** An https origin that accepts only clients with the edge's certificate. */
let strict: SignedOrigin;
beforeAll(async () => {
  const folder = await tempFolder();
  const file = (name: string) => join(folder, name);
  makeCertificate(file('origin.key'), file('origin.pem'), 'DNS:localhost');
  makeCertificate(file('edge.key'), file('edge.pem'), 'DNS:edge.saas.test');
  lab = await startEdgeWithAgent({
    originTls: `tls_trust_pool file "${file('origin.pem')}"`,
    originCertificate: { certFile: file('edge.pem'), keyFile: file('edge.key') },
  });
  const tls = { key: readFileSync(file('origin.key')), cert: readFileSync(file('origin.pem')) };
  const onlyTheEdge = { ...tls, requestCert: true, rejectUnauthorized: true, ca: readFileSync(file('edge.pem')) };
  [plain, secure, strict] = await Promise.all([
    startSignedOrigin(),
    startSignedOrigin(tls),
    startSignedOrigin(onlyTheEdge),
  ]);
  await lab.control.setOrigin(`http://127.0.0.1:${plain.port}`);
});
afterAll(async () => {
  await lab.stop();
  await Promise.all([plain, secure, strict].map((origin) => origin.stop()));
});

/** Secrets of the application; each test starts without any. */
let ids: string[] = [];
afterEach(async () => {
  for (const id of ids) await drop(id);
  for (const origin of [plain, secure, strict]) [origin.secrets.length, origin.received.length] = [0, 0];
});

const application = () => ({ id: lab.control.tenant.test.application_id, tenant_id: lab.control.tenant.tenant_id });
const changed = () => untilEveryCopyKnows(lab.control.pool, { applicationId: application().id });

/** Creates a secret as POST does: when it returns, every edge has it. */
async function addSecret(activeFrom = new Date()): Promise<{ id: string; secret: string }> {
  const { pool, vault } = lab.control;
  const made = await pool.transaction((tx) =>
    createEdgeSecret(tx, vault, application(), { activeFrom, now: new Date() }),
  );
  await changed();
  ids.push(made.id);
  return made;
}

async function drop(id: string): Promise<void> {
  await lab.control.pool.transaction((tx) => dropEdgeSecret(tx, application().id, id));
  await changed();
  ids = ids.filter((one) => one !== id);
}

let count = 0;
async function connected(route: OwnRoute | null = null): Promise<string> {
  const name = `s${++count}.signed.test`;
  const id = await lab.control.connect(name);
  await saveRoute(lab.control.pool, id, route);
  await untilEveryCopyKnows(lab.control.pool, { connectionId: id });
  return name;
}

const to = ({ port }: SignedOrigin): OwnRoute => ({ origin_url: `https://localhost:${port}` });
const last = (origin: SignedOrigin): Received => origin.received.at(-1)!;

async function upgrade(name: string, path: string): Promise<number> {
  const request = httpsRequest({
    host: '127.0.0.1',
    port: lab.caddy.httpsPort,
    servername: name,
    path,
    ca: readFileSync(lab.caddy.caFile ?? ''),
    headers: { host: name, connection: 'Upgrade', upgrade: 'websocket' },
  }).end();
  const [response, socket] = (await Promise.race([once(request, 'upgrade'), once(request, 'response')])) as [
    IncomingMessage,
    { destroy(): void }?,
  ];
  (socket ?? response).destroy();
  return response.statusCode ?? 0;
}

describe('a signed request verifies at its origin', () => {
  const paths = ['/', '/a/b?c=%2F&d=%C3%BC', '/below/x//y?', `/long?${'q'.repeat(18_000)}`, '/%7Ea;b'];

  test.each([
    ['http', () => ({}), () => plain],
    ['https', () => to(secure), () => secure],
    ['http with metadata', () => ({ metadata: { plan: 'gold', name: 'Zoë' } }), () => plain],
    ['http with the visitor’s Host', () => ({ host_header: 'visitor' as const }), () => plain],
  ])('%s, with every path, method and a websocket', async (_what, route: () => OwnRoute, of) => {
    const { secret } = await addSecret();
    of().secrets.push(secret);
    const name = await connected(route());
    for (const path of paths)
      expect([path.length, (await lab.visit(name, { path })).status]).toEqual([path.length, 200]);
    for (const method of ['POST', 'DELETE', 'PATCH']) expect((await lab.visit(name, { method })).status).toBe(200);
    expect((await lab.visit(name, { host: `${name.toUpperCase()}:${lab.caddy.httpsPort}` })).status).toBe(200);
    expect(await upgrade(name, '/socket?a=b')).toBe(101);
    expect(last(of()).headers['x-svc-edge-signature']).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);
  });

  test('while the agent is down and the control plane answers', async () => {
    const { secret } = await addSecret();
    plain.secrets.push(secret);
    const name = await connected();
    expect((await lab.visit(name)).status).toBe(200);
    await lab.agent.stop('SIGKILL');
    expect((await lab.visit(name, { path: '/a?b' })).status).toBe(200);
    await lab.startAgent();
    await lab.untilTrusted();
    expect((await lab.visit(name)).status).toBe(200);
  });
});

test('a visitor’s own headers never reach the origin, with a secret and without', async () => {
  const name = await connected();
  const forged = { headers: { 'x-svc-edge-signature': 't=1,v1=00', 'x-svc-edge': 'mine', 'x-request-id': 'mine' } };
  await lab.visit(name, forged);
  expect(last(plain).headers).not.toHaveProperty('x-svc-edge-signature');
  expect(last(plain).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  const { secret } = await addSecret();
  plain.secrets.push(secret);
  expect((await lab.visit(name, forged)).status).toBe(200);
  expect(last(plain).headers).toMatchObject({ 'x-svc-edge': 'edge' });
  expect(last(plain).headers['x-svc-edge-signature']).not.toContain('v1=00');
});

test('altered, forged, expired, replayed and retired signatures: none is accepted', async () => {
  const { id, secret } = await addSecret();
  plain.secrets.push(secret);
  const name = await connected({ metadata: { plan: 'gold' } });
  await lab.visit(name, { path: '/a?b=c' });
  const good = last(plain);
  await expect(verifyEdgeRequest(good, secret)).resolves.toBeUndefined();

  const header = String(good.headers['x-svc-edge-signature']);
  const [t = '', v1 = ''] = header.split(',');
  const withHeader = (changed: Record<string, string>): Received => ({
    ...good,
    headers: { ...good.headers, ...changed },
  });
  const altered: [string, Received][] = [
    ['time', withHeader({ 'x-svc-edge-signature': `t=${Number(t.slice(2)) + 1},${v1}` })],
    ['method', { ...good, method: 'POST' }],
    ['hostname', withHeader({ 'x-forwarded-host': 'other.signed.test' })],
    ['path', { ...good, url: '/A?b=c' }],
    ['query', { ...good, url: '/a?b=d' }],
    ['request id', withHeader({ 'x-request-id': crypto.randomUUID() })],
    ['metadata', withHeader({ 'x-svc-metadata': `${String(good.headers['x-svc-metadata'])}x` })],
    ['absent metadata', withHeader({ 'x-svc-metadata': '' })],
    ['signature', withHeader({ 'x-svc-edge-signature': `${t},v1=${'0'.repeat(64)}` })],
    ['no signature', withHeader({ 'x-svc-edge-signature': '' })],
    ['no value', withHeader({ 'x-svc-edge-signature': t })],
  ];
  const refused = async (request: Received, keys: string | string[], now = Date.now()) =>
    verifyEdgeRequest(request, keys, { now }).then(
      () => 'accepted',
      (error: unknown) => (error instanceof EdgeVerificationError ? error.code : 'another error'),
    );
  for (const [what, request] of altered)
    expect([what, await refused(request, secret)]).toEqual([
      what,
      expect.stringMatching(/^(bad_signature|missing_header)$/),
    ]);
  for (const minutes of [-6, 6]) expect(await refused(good, secret, Date.now() + minutes * 60_000)).toBe('too_old');
  const response = await fetch(`http://127.0.0.1:${plain.port}/a?b=c`, {
    headers: good.headers as Record<string, string>,
  });
  expect([response.status, await response.json()]).toEqual([
    403,
    { error: expect.objectContaining({ code: 'replayed' }) as object },
  ]);

  // The origin has a new secret and not the old one any more.
  const next = await addSecret();
  await drop(id);
  expect(await refused(good, next.secret)).toBe('bad_signature');
  await lab.visit(name);
  expect(await refused(last(plain), secret)).toBe('bad_signature');
  expect(await refused(last(plain), next.secret)).toBe('accepted');
  await drop(next.id);
  await lab.visit(name);
  expect(last(plain).headers).not.toHaveProperty('x-svc-edge-signature');
});

test('a rotation in two phases loses no request, and one that is pending does not sign', async () => {
  const old = await addSecret();
  plain.secrets.push(old.secret);
  const name = await connected();
  await lab.visit(name);
  let [isOver, lost, sent] = [false, 0, 0];
  const visitor = async () => {
    while (!isOver) {
      if ((await lab.visit(name)).status !== 200) lost++;
      sent++;
    }
  };
  const visitors = Array.from({ length: 4 }, visitor);
  const signatures = () => String(last(plain).headers['x-svc-edge-signature']).split(',v1=').length - 1;

  const next = await addSecret(new Date(Date.now() + 3_600_000));
  await lab.visit(name);
  expect(signatures()).toBe(1);
  await expect(verifyEdgeRequest(last(plain), next.secret)).rejects.toThrow('does not match');
  plain.secrets.push(next.secret);
  // The hour passes.
  await lab.control.pool.query(sql.type(none)`
    UPDATE edge_secrets SET active_from = clock_timestamp() WHERE id = ${next.id}
  `);
  await noteEdgeSecrets(lab.control.pool, application().id);
  await changed();
  await lab.visit(name);
  expect(signatures()).toBe(2);
  plain.secrets.shift();
  await drop(old.id);
  await lab.visit(name);
  expect(signatures()).toBe(1);
  isOver = true;
  await Promise.all(visitors);
  expect(sent).toBeGreaterThan(4);
  expect(lost).toBe(0);
});

test('an origin that requires the edge’s certificate gets it, and refuses clients without one', async () => {
  const { secret } = await addSecret();
  strict.secrets.push(secret);
  const name = await connected(to(strict));
  expect((await lab.visit(name, { path: '/a' })).status).toBe(200);
  expect(await upgrade(name, '/socket')).toBe(101);
  const alone = httpsRequest({ port: strict.port, rejectUnauthorized: false }).end();
  await expect(once(alone, 'response')).rejects.toThrow();
});
