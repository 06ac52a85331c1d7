import { randomBytes, randomUUID, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import pg from 'pg';
import { saveCertificate } from '../../src/certificates/save.ts';
import { readAdmittance } from '../../src/db/edge/admissions.ts';
import { none, sql } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import type { State } from '../../src/domain/connection/connection.ts';
import type { Admittance } from '../../src/domain/edge/admission.ts';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { internalHandler } from '../../src/edge/internal.ts';
import { openVault } from '../../src/vault/vault.ts';
import { startTestAuthority, type TestAuthority } from '../support/certificate-authority.ts';
import { registerCertificateEdge, type CertificateEdge } from '../support/fixtures/certificate-edge.ts';
import { startControlPlane, type ControlPlane } from '../support/fixtures/control-plane.ts';
import { startAgentProcess, type HalfProcess } from '../support/fixtures/half-process.ts';
import { EMPTY_WORLD, mayOrder, visit, type Visit } from '../support/fixtures/wildcard-world.ts';
import { startFreezingProxy, type FreezingProxy } from '../support/proxies/freezing-proxy.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { tries } from '../support/tries.ts';
import { until } from '../support/until.ts';

const vault = openVault(`k1:${randomBytes(32).toString('base64')}`);
const ORIGIN = { wildcard: 'http://127.0.0.1:901', exact: 'http://127.0.0.1:902' };

let plane: ControlPlane;
let authority: TestAuthority;
/** The tenant of exact hostnames; wildcards belong to the control plane's own. */
let other: NewTenant;
let proxy: FreezingProxy;
let edge: CertificateEdge;
let agent: HalfProcess;

beforeAll(async () => {
  [plane, authority] = [await startControlPlane(), await startTestAuthority()];
  other = await createTenant(plane.pool, 'Other');
  await plane.setOrigin(ORIGIN.wildcard);
  await plane.setOrigin(ORIGIN.exact, other);
  proxy = await startFreezingProxy(plane.databaseUrl);
  edge = await registerCertificateEdge(plane.pool, proxy.url);
  agent = await edge.trustedAgent();
});
afterAll(async () => {
  await edge.stop();
  await proxy.stop();
  await plane.stop();
});

const newDomain = (): string => `d${randomUUID().slice(0, 8)}-customer.com`;
const known = (id: string) => untilEveryCopyKnows(plane.pool, { connectionId: id });
const moveTo = async (id: string, state: State): Promise<void> => {
  await plane.setState(id, state);
  await known(id);
};

async function certify(id: string, tenant: NewTenant, hostname: string, names = [hostname]): Promise<void> {
  const connection = { id, tenant_id: tenant.tenant_id, hostname };
  const issued = { source: 'ordered' as const, ...authority.issue(names) };
  await plane.pool.transaction((tx) => saveCertificate(tx, vault, connection, issued, new Date()));
  await known(id);
}

/** Connects `*.domain` with a certificate that names the domain too. */
async function wildcard(state: State = 'live'): Promise<{ domain: string; id: string }> {
  const domain = newDomain();
  const id = await plane.connect(`*.${domain}`, state);
  await certify(id, plane.tenant, `*.${domain}`, [`*.${domain}`, domain]);
  return { domain, id };
}

type Asked = Pick<HalfProcess, 'port'>;
const ask = async (hostname: string, { port }: Asked = agent): Promise<number> =>
  (await fetch(`http://127.0.0.1:${port}/internal/ask?bare=1&domain=${hostname}`)).status;

/** Returns the origin to which a request goes, or the status of the page that answers it. */
async function route(hostname: string, { port }: Asked = agent): Promise<string | number> {
  const response = await fetch(`http://127.0.0.1:${port}/internal/route?host=${hostname}`);
  // The agent leaves some answers open, with status 200 in place of 204, to count requests in progress.
  await response.body?.cancel();
  if (!response.headers.has('x-origin-host')) return response.status;
  return `${response.headers.get('x-origin-scheme')}://${response.headers.get('x-origin-host')}`;
}

/** Returns the names in the certificate that a handshake gets, or null if Caddy has to find one itself. */
async function shown(hostname: string, port?: number): Promise<string | null> {
  const { status, body } = await edge.certificate(hostname, port === undefined ? {} : { port });
  return status === 200 ? (new X509Certificate(body).subjectAltName ?? '') : null;
}

/** Everything that the agent decides about a hostname. */
const decided = async (hostname: string, by: Asked = agent) => ({
  route: await route(hostname, by),
  ask: (await ask(hostname, by)) === 204,
  certificate: await shown(hostname),
});

test('a wildcard serves every label below it with its certificate, and the edge may order none of them', async () => {
  const { domain } = await wildcard();
  const certificate = `DNS:*.${domain}, DNS:${domain}`;
  for (const hostname of [`shop.${domain}`, `${randomUUID()}.${domain}`])
    expect(await decided(hostname)).toEqual({ route: ORIGIN.wildcard, ask: false, certificate });
});

test('a wildcard’s certificate is served neither two labels deep nor for the domain, although it names the domain', async () => {
  const { domain } = await wildcard();
  for (const hostname of [domain, `a.b.${domain}`, `shop.${domain}.evil-site.com`, domain.replace('d', 'x')])
    expect(await decided(hostname)).toEqual({ route: 404, ask: false, certificate: null });
  // Connected on its own, the domain gets a certificate of its own.
  await plane.connect(domain, 'live', other);
  expect(await decided(domain)).toEqual({ route: ORIGIN.exact, ask: true, certificate: null });
});

test('an exact connection takes its label over when it becomes live, keeps it while drifted or suspended, and returns it when archived', async () => {
  const { domain } = await wildcard();
  const hostname = `shop.${domain}`;
  const covered = { route: ORIGIN.wildcard, ask: false, certificate: `DNS:*.${domain}, DNS:${domain}` };
  const own = { route: ORIGIN.exact, ask: true, certificate: null };
  const id = await plane.connect(hostname, 'verified', other);
  for (const state of ['verified', 'dns_writing', 'propagating', 'stalled'] as const) {
    await moveTo(id, state);
    expect([state, await decided(hostname)]).toEqual([state, covered]);
  }
  await moveTo(id, 'issuing_cert');
  expect(await decided(hostname)).toEqual({ ...covered, ask: true, certificate: null });
  for (const state of ['live', 'drifted'] as const) {
    await moveTo(id, state);
    expect([state, await decided(hostname)]).toEqual([state, own]);
  }
  const suspend = async (at: Date | null) => {
    const value = at === null ? null : sql.timestamp(at);
    await plane.pool.query(sql.type(none)`UPDATE tenants SET suspended_at = ${value} WHERE id = ${other.tenant_id}`);
    await untilEveryCopyKnows(plane.pool, { applicationId: other.test.application_id });
  };
  await suspend(new Date());
  expect(await decided(hostname)).toEqual({ route: 403, ask: false, certificate: null });
  await suspend(null);
  await moveTo(id, 'archived');
  expect(await decided(hostname)).toEqual(covered);
  expect(await route(`elsewhere.${domain}`)).toBe(ORIGIN.wildcard);
});

test('an archived hostname answers 410 only where no wildcard covers it, and the labels of an archived wildcard answer 410', async () => {
  const { domain, id } = await wildcard();
  const [below, alone] = [`gone.${domain}`, `gone.${newDomain()}`];
  for (const hostname of [below, alone]) await moveTo(await plane.connect(hostname, 'live', other), 'archived');
  expect([await route(below), await route(alone)]).toEqual([ORIGIN.wildcard, 410]);
  await moveTo(id, 'archived');
  expect([await route(below), await route(`new.${domain}`), await route(domain)]).toEqual([410, 410, 404]);
  expect(await shown(`new.${domain}`)).toBeNull();
});

test('an exact connection shows its own certificate once it has one, and never the wildcard’s while it is live', async () => {
  const { domain } = await wildcard();
  const hostname = `own.${domain}`;
  const id = await plane.connect(hostname, 'issuing_cert', other);
  await certify(id, other, hostname);
  expect(await shown(hostname)).toBe(`DNS:${hostname}`);
  await moveTo(id, 'live');
  expect(await decided(hostname)).toEqual({ route: ORIGIN.exact, ask: false, certificate: `DNS:${hostname}` });
});

test('a tenant that proves a wildcard gets no request for a hostname that another tenant serves, and neither its certificate', async () => {
  const domain = newDomain();
  const hostname = `victim.${domain}`;
  await plane.connect(hostname, 'live', other);
  const id = await plane.connect(`*.${domain}`, 'issuing_cert');
  await certify(id, plane.tenant, `*.${domain}`, [`*.${domain}`, hostname]);
  for (const state of ['issuing_cert', 'live', 'drifted', 'archived'] as const) {
    await moveTo(id, state);
    expect([state, await decided(hostname)]).toEqual([state, { route: ORIGIN.exact, ask: true, certificate: null }]);
  }
});

const setBlocked = async (hostname: string, is: boolean): Promise<void> => {
  await plane.pool.query(
    is
      ? sql.type(none)`INSERT INTO blocked_hostnames VALUES (${hostname}, 'phishing', now()) ON CONFLICT DO NOTHING`
      : sql.type(none)`DELETE FROM blocked_hostnames WHERE hostname = ${hostname}`,
  );
  await untilEveryCopyKnows(plane.pool, { hostname });
};

test('a blocked wildcard blocks its labels, and a single label can be blocked, even after its connection was archived', async () => {
  const { domain } = await wildcard();
  const blocked = { route: 403, ask: false, certificate: null };
  await setBlocked(`*.${domain}`, true);
  expect(await decided(`a.${domain}`)).toEqual(blocked);
  await setBlocked(`*.${domain}`, false);
  await setBlocked(`login.${domain}`, true);
  expect(await decided(`login.${domain}`)).toEqual(blocked);
  expect(await route(`a.${domain}`)).toBe(ORIGIN.wildcard);
  const id = await plane.connect(`login.${domain}`, 'live', other);
  for (const state of ['live', 'archived'] as const) {
    await moveTo(id, state);
    expect([state, await decided(`login.${domain}`)]).toEqual([state, blocked]);
  }
  await setBlocked(`login.${domain}`, false);
  expect(await route(`login.${domain}`)).toBe(ORIGIN.wildcard);
});

test('without the control plane, the agent and its second answerer serve labels as before and order nothing', async () => {
  const { domain } = await wildcard();
  const certificate = `DNS:*.${domain}, DNS:${domain}`;
  const [waiting, gone] = [`waiting.${domain}`, `gone.${domain}`];
  await plane.connect(waiting, 'issuing_cert', other);
  await plane.connect(gone, 'archived', other);
  const answerer = await edge.startAnswerer();
  proxy.freeze();
  await until(async () => (await ask(`unknown.${newDomain()}`)) === 503);
  for (const hostname of [`shop.${domain}`, waiting, gone]) {
    expect([hostname, await decided(hostname)]).toEqual([
      hostname,
      { route: ORIGIN.wildcard, ask: false, certificate },
    ]);
    await until(async () => (await shown(hostname, edge.ports[1])) === certificate, 40_000);
    expect(await ask(hostname, answerer)).toBe(403);
  }
  expect(await ask(`unknown.${newDomain()}`, answerer)).toBe(503);
  proxy.thaw();
  await until(async () => (await ask(waiting)) === 204);
});

test('an agent without a database learns from the API which wildcard decides, and that the label has no admission of its own', async () => {
  const { domain } = await wildcard();
  const exact = `exact.${domain}`;
  await plane.connect(exact, 'issuing_cert', other);
  const apart = await startAgentProcess('postgres://nobody@127.0.0.1:1/nothing', {
    folder: await tempFolder(),
    apiUrl: `http://127.0.0.1:${plane.port}`,
  });
  try {
    expect([await route(`shop.${domain}`, apart), await ask(`shop.${domain}`, apart)]).toEqual([ORIGIN.wildcard, 403]);
    expect([await route(exact, apart), await ask(exact, apart)]).toEqual([ORIGIN.wildcard, 204]);
  } finally {
    await apart.stop('SIGKILL');
  }
});

test('a wildcard has no companion: an unconnected domain is not redirected to a www that only the wildcard serves', async () => {
  const { domain } = await wildcard();
  const handle = internalHandler(plane.admission, {
    sandboxNames: 'admitted',
    authority: null,
    originDial: { allowed: [] },
    recordAsk: () => undefined,
  });
  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const plain = async (hostname: string) =>
    (await fetch(`http://127.0.0.1:${port}/internal/route?plain=1&host=${hostname}`)).status;
  expect([await plain(domain), await plain(`www.${domain}`)]).toEqual([404, 204]);
  await plane.connect(`www.${domain}`, 'live', other);
  expect(await plain(domain)).toBe(204);
  server.close();
});

const STATES = ['verified', 'propagating', 'issuing_cert', 'live', 'drifted', 'failed', 'archived'] as const;

test('Postgres, the table and a naive model agree on who serves a label, for random histories of connections', async () => {
  const pool = new pg.Pool({ connectionString: plane.databaseUrl, max: 2 });
  const owners = { [ORIGIN.wildcard]: plane.tenant, [ORIGIN.exact]: other };
  const step = fc.record({
    label: fc.constantFrom('*', 'x', 'y', 'x.y', '*.y'),
    owner: fc.constantFrom(...Object.keys(owners)),
    act: fc.constantFrom(...STATES, 'block', 'unblock'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const [domain, world, ids] = [newDomain(), EMPTY_WORLD(), new Map<string, string>()];
      for (const { label, owner, act } of steps) {
        const hostname = `${label}.${domain}`;
        if (act === 'block' || act === 'unblock') {
          await setBlocked(hostname, act === 'block');
          if (act === 'block') world.blocked.add(hostname);
          else world.blocked.delete(hostname);
          continue;
        }
        const before = world.connections.get(hostname);
        const isOver = before === undefined || before.state === 'archived' || before.state === 'failed';
        // A connection that ended without a proof leaves the admission of the one before.
        if (isOver && (act === 'failed' || act === 'archived')) continue;
        const id = isOver ? await plane.connect(hostname, act, owners[owner]) : (ids.get(hostname) ?? '');
        if (!isOver) await moveTo(id, act);
        ids.set(hostname, id);
        world.connections.set(hostname, { owner: isOver ? owner : before.owner, state: act });
      }
      for (const label of ['x', 'y', 'new', 'x.y', 'new.y', 'a.b']) {
        const hostname = `${label}.${domain}`;
        const expected = [hostname, visit(world, hostname), mayOrder(world, hostname)];
        for (const admittance of [await plane.admission.lookup(hostname), await readAdmittance(pool, hostname)])
          expect([hostname, visitOf(admittance), ['held', 'pointing', 'serving'].includes(admittance.own)]).toEqual(
            expected,
          );
      }
    }),
    { numRuns: tries(200, 25) },
  );
  await pool.end();
});

function visitOf({ standing, origin_url }: Admittance): Visit {
  if (standing === 'serving') return { site: origin_url ?? '' };
  if (standing === 'held' || standing === 'pointing') return 'setting up';
  if (standing === 'archived') return 'gone';
  return standing === 'blocked' ? 'blocked' : 'unknown';
}
