import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { releaseImported, takeOver } from '../../src/certificates/imported.ts';
import { dropCertificate, saveCertificate } from '../../src/certificates/save.ts';
import { certificateOf } from '../../src/db/certificate/certificates.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { revokeEdge } from '../../src/db/edge/registered-edges.ts';
import { sealMissing } from '../../src/certificates/for-edges.ts';
import { CertificateAnswers } from '../../src/edge/certificate-answers.ts';
import { readEdgeKey } from '../../src/edge/edge-key.ts';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { Journal } from '../../src/edge/journal.ts';
import { KeyStore, usableCertificate } from '../../src/edge/key-store.ts';
import { LastKnown } from '../../src/edge/last-known.ts';
import { startTestAuthority, type IssuedCertificate, type TestAuthority } from '../support/certificate-authority.ts';
import { registerCertificateEdge, type CertificateEdge } from '../support/fixtures/certificate-edge.ts';
import type { ControlPlane } from '../support/fixtures/control-plane.ts';
import { startFedPlane, type Feed } from '../support/fixtures/feed-lab.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import type { HalfProcess } from '../support/fixtures/half-process.ts';
import { openVault } from '../../src/vault/vault.ts';
import { startFreezingProxy, type FreezingProxy } from '../support/proxies/freezing-proxy.ts';
import { questionStatus } from '../support/question-status.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const vault = openVault(`k1:${randomBytes(32).toString('base64')}`);
let plane: ControlPlane;
let feed: Feed;
let authority: TestAuthority;
let proxy: FreezingProxy;
let edge: CertificateEdge;

let stop: () => Promise<void>;
beforeAll(async () => {
  authority = await startTestAuthority();
  ({ plane, feed, stop } = await startFedPlane());
});
afterAll(() => stop());
beforeEach(async () => {
  proxy = await startFreezingProxy(feed.url);
  edge = await registerCertificateEdge(plane.pool, proxy.url);
});
afterEach(async () => {
  await edge.stop();
  await proxy.stop();
});

const startAgent = (settings?: NodeJS.ProcessEnv) => edge.startAgent(settings);
const trustedAgent = (settings?: NodeJS.ProcessEnv) => edge.trustedAgent(settings);
const certificate: CertificateEdge['certificate'] = (hostname, question) => edge.certificate(hostname, question);
const ask = async ({ port }: HalfProcess, hostname: string): Promise<number> =>
  (await fetch(`http://127.0.0.1:${port}/internal/ask?bare=1&domain=${hostname}`)).status;

const newName = () => `n${randomUUID().slice(0, 8)}.example-shop.com`;
const save = async (id: string, hostname: string, issued: IssuedCertificate, owner = plane.tenant): Promise<void> => {
  const connection = { id, tenant_id: owner.tenant_id, hostname };
  await plane.pool.transaction((tx) =>
    saveCertificate(tx, vault, connection, { source: 'uploaded', ...issued }, new Date()),
  );
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
};

/** Connects a hostname and saves a certificate for it. */
async function connected(names?: string[]): Promise<{ id: string; hostname: string; issued: IssuedCertificate }> {
  const hostname = names?.[0] ?? newName();
  const [id, issued] = [await plane.connect(hostname), authority.issue(names ?? [hostname])];
  await save(id, hostname, issued);
  return { id, hostname, issued };
}

test('an acknowledged certificate is on disk: it is served after kill -9 without the control plane, and ask denies the hostname', async () => {
  const agent = await trustedAgent();
  const { hostname, issued } = await connected();
  expect(await ask(agent, hostname)).toBe(403);
  await agent.stop('SIGKILL');
  proxy.cut();

  const again = await startAgent();
  const served = await certificate(hostname);
  expect([served.status, served.body.includes(issued.key.trim())]).toEqual([200, true]);
  expect(served.body).toMatch(/^-----BEGIN CERTIFICATE-----/);
  expect(await ask(again, hostname)).toBe(403);
  expect(await certificate(newName())).toEqual({ status: 204, body: '' });
});

test('a new certificate is decrypted before it is acknowledged, so that the first handshake does not wait for it', async () => {
  await trustedAgent();
  const { hostname } = await connected();
  for (const file of readdirSync(join(edge.folder, 'certificates'))) rmSync(join(edge.folder, 'certificates', file));
  expect((await certificate(hostname)).status).toBe(200);
});

test('an edge without a token, with a foreign key pair or with a revoked token gets no keys, and its Caddy may order', async () => {
  edge = await registerCertificateEdge(plane.pool, plane.databaseUrl); // on the feed, such an edge gets nothing at all
  const { hostname } = await connected();
  const withoutToken = await trustedAgent({ EDGE_TOKEN: '' });
  expect([(await certificate(hostname)).status, await ask(withoutToken, hostname)]).toEqual([204, 204]);
  await withoutToken.stop('SIGKILL');

  const bound = await trustedAgent();
  await bound.stop('SIGKILL');
  const foreign = { EDGE_KEY_FILE: join(await tempFolder(), 'other.key') };
  const thief = await trustedAgent(foreign);
  await sealMissing(plane.pool, vault, new Date());
  expect([(await certificate(hostname)).status, await ask(thief, hostname)]).toEqual([204, 204]);
  await thief.stop('SIGKILL');

  await revokeEdge(plane.pool, edge.name);
  await trustedAgent();
  const { hostname: next } = await connected();
  expect((await certificate(next)).status).toBe(204);
});

test('an edge that registers later gets the certificates that exist already', async () => {
  const { hostname } = await connected();
  await trustedAgent();
  expect((await certificate(hostname)).status).toBe(204);
  await sealMissing(plane.pool, vault, new Date());
  await until(async () => (await certificate(hostname)).status === 200);
});

test('a key that cannot be read is not served, and ask allows the hostname again', async () => {
  const agent = await trustedAgent();
  const { hostname } = await connected();
  await agent.stop('SIGKILL');
  const files = readdirSync(join(edge.folder, 'certificates'));
  for (const file of files) writeFileSync(join(edge.folder, 'certificates', file), 'damaged');
  const again = await trustedAgent();
  expect([(await certificate(hostname)).status, await ask(again, hostname)]).toEqual([204, 204]);
});

test('the connection decides, not the names inside: a certificate that names other hostnames is served for its own only', async () => {
  await trustedAgent();
  const other = newName();
  await plane.connect(other);
  const { hostname, id } = await connected([newName(), other]);
  expect([(await certificate(hostname)).status, (await certificate(other)).status]).toEqual([200, 204]);

  await plane.setState(id, 'archived');
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
  expect((await certificate(hostname)).status).toBe(204);
});

test('one certificate and key at the connections of two tenants is served for both, and after its removal from one for the other', async () => {
  await trustedAgent();
  const other = await createTenant(plane.pool, 'Other');
  const [mine, theirs] = [newName(), newName()];
  const issued = authority.issue([mine, theirs]);
  const [id, theirId] = [await plane.connect(mine), await plane.connect(theirs, 'live', other)];
  await save(id, mine, issued);
  await save(theirId, theirs, issued, other);
  expect([(await certificate(mine)).status, (await certificate(theirs)).status]).toEqual([200, 200]);
  await plane.pool.transaction((tx) => dropCertificate(tx, id, 'uploaded', new Date()));
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
  expect([(await certificate(mine)).status, (await certificate(theirs)).status]).toEqual([204, 200]);
});

test('an imported certificate is served after the proof and not before, until a third of its life is left', async () => {
  const agent = await trustedAgent();
  const hostname = newName();
  const { id } = await newConnection(plane.pool, plane.tenant, hostname);
  const issued = authority.issue([hostname, newName()]);
  const [now, day] = [Date.now(), 86_400_000];
  const release = (days: number, hasRoom = true) =>
    releaseImported(plane.pool, () => Promise.resolve(hasRoom), new Date(now + days * day));
  const route = () => questionStatus(agent.port, `route?host=${hostname}`);
  const taken = { ...issued, connectionId: id, notAfter: new Date(now + 90 * day) };
  expect(await plane.pool.transaction((tx) => takeOver(tx, vault, taken, new Date()))).toBe(true);
  expect([(await certificate(hostname)).status, await ask(agent, hostname), await route()]).toEqual([204, 403, 404]);

  // Its DNS still points elsewhere. A visitor who comes after the move is served before we notice the move.
  await plane.setState(id, 'propagating');
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
  const served = await certificate(hostname);
  expect([served.status, served.body.includes(issued.key.trim())]).toEqual([200, true]);
  expect(await route()).toBe(204); // to the origin
  expect(await release(61)).toBe(0); // no CA could validate the edge's own
  await plane.setState(id, 'live');
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
  expect(await ask(agent, hostname)).toBe(403); // Caddy orders nothing

  expect([await release(59), await release(61, false)]).toEqual([0, 0]);
  expect((await certificate(hostname)).status).toBe(200);
  expect(await release(61)).toBe(1);
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
  expect([(await certificate(hostname)).status, await ask(agent, hostname)]).toEqual([204, 204]);
  expect(await certificateOf(plane.pool, id, 'edge')).toBeNull();
});

test('a certificate that is not valid now, or does not name its hostname, is never served', async () => {
  const agent = await trustedAgent();
  const { id, hostname } = await connected();
  for (const issued of [authority.issue([hostname], { days: -1 }), authority.issue([newName()])]) {
    await save(id, hostname, issued);
    expect([(await certificate(hostname)).status, await ask(agent, hostname)]).toEqual([204, 204]);
  }
});

test('the second answerer replies while the agent is down, and knows each change that the agent acknowledged', async () => {
  const answerer = await edge.startAnswerer();
  const second = { port: edge.ports[1] };
  const agent = await trustedAgent();
  const [kept, renewed, archived, plain] = [await connected(), await connected(), await connected(), newName()];
  await plane.connect(plain);
  process.kill(agent.pid, 'SIGSTOP');
  expect((await certificate(kept.hostname, second)).status).toBe(200);
  process.kill(agent.pid, 'SIGCONT');

  const newer = authority.issue([renewed.hostname]);
  await save(renewed.id, renewed.hostname, newer);
  expect((await certificate(renewed.hostname, second)).body).toContain(newer.key.trim());
  await plane.setState(archived.id, 'archived');
  await plane.pool.transaction((tx) => dropCertificate(tx, kept.id, 'uploaded', new Date()));
  for (const { id } of [archived, kept]) await untilEveryCopyKnows(plane.pool, { connectionId: id });
  await agent.stop('SIGKILL');
  expect((await certificate(archived.hostname, second)).status).toBe(204);
  expect((await certificate(kept.hostname, second)).status).toBe(204);
  // Caddy's question is answered too: what has a certificate of ours is denied, what was serving is allowed, the rest waits.
  const asked = [renewed.hostname, plain, archived.hostname, newName()];
  expect(await Promise.all(asked.map((name) => ask(answerer, name)))).toEqual([403, 204, 403, 503]);
});

test('requests that a proxy forwarded, that name another host or that do not know the path get nothing', async () => {
  await trustedAgent();
  const { hostname } = await connected();
  const refused = [
    { headers: { 'x-forwarded-for': '192.0.2.1' } },
    { headers: { 'x-forwarded-host': hostname } },
    { headers: { via: '1.1 proxy' } },
    { headers: { forwarded: 'for=192.0.2.1' } },
    { headers: { host: 'attacker.example' } },
    { headers: { host: `localhost:${edge.ports[0]}` } },
    { segment: 'a'.repeat(43) },
    { segment: edge.segment.slice(1) },
    { segment: '' },
    { segment: `${edge.segment}a` },
    { segment: `${edge.segment.slice(0, -1)}?` },
  ];
  for (const one of refused) expect(await certificate(hostname, one)).toEqual({ status: 404, body: '' });
  expect((await certificate(hostname)).status).toBe(200);
});

test('each request of a kept connection is checked, also after one that was accepted', async () => {
  await trustedAgent();
  const { hostname } = await connected();
  const [port] = edge.ports;
  const get = (path: string, ...headers: string[]) =>
    [`GET /cert/${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, '', ''].join('\r\n');
  const question = `${edge.segment}?server_name=${hostname}`;
  for (const second of [get(question, 'Via: 1.1 proxy'), get(`${'a'.repeat(43)}?server_name=${hostname}`)]) {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.write(get(question) + get(question) + second);
    const answers = ((await socket.toArray()) as string[]).join('');
    expect(answers.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404']);
  }
});

test('without the control plane for 48 hours, certificates of 160 hours serve as long as EDGE_STALE_FOR allows', async () => {
  const HOUR = 3_600_000;
  const agent = await trustedAgent();
  const hostname = newName();
  const id = await plane.connect(hostname);
  await save(id, hostname, authority.issue([hostname], { days: 7 }));
  await agent.stop('SIGKILL');

  // The clock is a parameter, so the parts of the agent run here, on the folder that it left.
  const journal = await Journal.open(edge.folder);
  const { privateKey } = await readEdgeKey(edge.settings.EDGE_KEY_FILE);
  const store = await KeyStore.open(join(edge.folder, 'certificates'), privateKey, usableCertificate);
  const after = (hours: number, staleForHours: number) => {
    const now = () => Date.now() + hours * HOUR;
    const lastKnown = new LastKnown({ journal, staleForMs: staleForHours * HOUR, now });
    const table = {
      lookup: (name: string) => lastKnown.lookup(name),
      certificateOf: (name: string) => journal.certificateOf(name, false),
    };
    return new CertificateAnswers(table, store, now).find(hostname);
  };
  for (const hours of [1, 23, 47, 71]) expect(await after(hours, 72)).not.toBeNull();
  expect(await after(23, 24)).not.toBeNull();
  await expect(after(25, 24)).rejects.toThrow('does not answer');
  await expect(after(73, 72)).rejects.toThrow('does not answer');
  // The certificate itself ends too.
  expect(await after(7 * 24 + 1, 1_000)).toBeNull();
  await journal.close();
});
