import fc from 'fast-check';
import { randomBytes, randomUUID, X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { dropCertificate, saveCertificate } from '../../src/certificates/save.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { startCaddy, type Caddy } from '../../src/embedded/caddy.ts';
import { obtainServer } from '../../src/embedded/servers.ts';
import { openVault } from '../../src/vault/vault.ts';
import { startTestAuthority, type TestAuthority } from '../support/certificate-authority.ts';
import { registerCertificateEdge, type CertificateEdge } from '../support/fixtures/certificate-edge.ts';
import { startControlPlane, type ControlPlane } from '../support/fixtures/control-plane.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { tries } from '../support/tries.ts';

/** Two real edges, each with Caddy, its agent and its second answerer. */
const vault = openVault(`k1:${randomBytes(32).toString('base64')}`);
let plane: ControlPlane;
let authority: TestAuthority;
let other: NewTenant;
let edges: { edge: CertificateEdge; caddy: Caddy }[];

beforeAll(async () => {
  [plane, authority] = [await startControlPlane(), await startTestAuthority()];
  other = await createTenant(plane.pool, 'Other');
  await plane.setOrigin('http://127.0.0.1:9');
  edges = await Promise.all([startEdge(), startEdge()]);
});
afterAll(async () => {
  await Promise.all(edges.map(({ caddy }) => caddy.stop()));
  await Promise.all(edges.map(({ edge }) => edge.stop()));
  await plane.stop();
});

async function startEdge(): Promise<{ edge: CertificateEdge; caddy: Caddy }> {
  const edge = await registerCertificateEdge(plane.pool, plane.databaseUrl);
  const [agent, answerer] = [await edge.trustedAgent(), await edge.startAnswerer()];
  const at = (port: number) => `127.0.0.1:${port}`;
  const [first, second] = edge.ports;
  const caddy = await startCaddy({
    executable: await obtainServer('caddy', { onProgress: () => undefined }),
    dataDir: await tempFolder(),
    agent: {
      address: at(agent.port),
      resolver: '127.0.0.1:9',
      answerer: at(answerer.port),
      certificates: [at(first), at(second)],
      segment: edge.segment,
    },
    control: at(plane.port),
    issuer: { kind: 'internal' },
    onProgress: () => undefined,
  });
  return { edge, caddy };
}

type Source = 'ordered' | 'uploaded';
/** A live connection in the model: the serial numbers of its valid certificates. */
interface Connected extends Record<Source, string | null> {
  id: string;
}
type World = Map<string, Connected>;

/** Uploads and removals are twice as frequent, so that most runs have one after the other. */
const ACTS = ['add', 'renew', 'upload', 'upload', 'upload expired', 'remove', 'remove', 'archive'] as const;
const LABELS = ['shop', 'blog', '*'] as const;
const step = fc.record({ label: fc.constantFrom(...LABELS), act: fc.constantFrom(...ACTS) });
type Step = { label: string; act: (typeof ACTS)[number] };

const newWorld = (): [World, domain: string] => [
  new Map<string, Connected>(),
  `d${randomUUID().slice(0, 8)}-customer.com`,
];

/** Carries a step out, as the API does: when it returns, every edge in reach has acknowledged. */
async function take(world: World, domain: string, { label, act }: Step): Promise<void> {
  const hostname = `${label}.${domain}`;
  const owner = label === 'blog' ? other : plane.tenant;
  const known = world.get(hostname);
  if (act === 'add' && known === undefined) {
    const id = await plane.connect(hostname, 'live', owner);
    world.set(hostname, { id, ordered: null, uploaded: null });
  }
  if (act === 'add' || known === undefined) return;
  const now = new Date();
  if (act === 'archive') {
    await plane.setState(known.id, 'archived');
    world.delete(hostname);
  } else if (act === 'remove') {
    await plane.pool.transaction((tx) => dropCertificate(tx, known.id, 'uploaded', now));
    known.uploaded = null;
  } else {
    const [source, days] =
      act === 'renew' ? (['ordered', 90] as const) : (['uploaded', act === 'upload' ? 90 : -1] as const);
    // An upload may name the hostnames of others, which must have no effect.
    const issued = authority.issue(source === 'ordered' ? [hostname] : [hostname, ...othersOf(domain, hostname)], {
      days,
    });
    const connection = { id: known.id, tenant_id: owner.tenant_id, hostname };
    await plane.pool.transaction((tx) => saveCertificate(tx, vault, connection, { source, ...issued }, now));
    known[source] = days > 0 ? new X509Certificate(issued.chain).serialNumber : null;
  }
  await untilEveryCopyKnows(plane.pool, { connectionId: known.id });
}

const othersOf = (domain: string, own: string): string[] =>
  [`shop.${domain}`, `blog.${domain}`, `*.${domain}`, domain].filter((name) => name !== own);

/** Labels that are asked for: connected ones, one that only the wildcard covers, and names that nothing covers. */
const ASKED = ['shop.', 'blog.', 'new.', 'a.shop.', ''];

/** Returns the connection that decides about a hostname. */
const deciding = (world: World, domain: string, hostname: string): Connected | undefined =>
  world.get(hostname) ?? (/^[^.]+$/.test(hostname.slice(0, -domain.length - 1)) ? world.get(`*.${domain}`) : undefined);

const serialIn = ({ status, body }: { status: number; body: string }): string | number =>
  status === 200 ? new X509Certificate(body).serialNumber : status;

/** Makes a full handshake, and returns the serial number of the certificate; null if the edge refuses. */
const handshake = ({ httpsPort }: Caddy, servername: string): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: httpsPort, servername, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on('error', () => resolve(null));
  });

test('at two edges every handshake shows the valid certificate of its own connection, after each of any steps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 12 }), async (steps) => {
      const [world, domain] = newWorld();
      for (const label of LABELS) await take(world, domain, { label, act: 'add' });
      for (const label of ['shop', '*']) await take(world, domain, { label, act: 'renew' });
      for (const [index, one] of steps.entries()) {
        await take(world, domain, one);
        for (const label of ASKED) await check(world, domain, `${label}${domain}`, `step ${index}: ${label}`);
      }
    }),
    { numRuns: tries(40, 8), endOnFailure: true },
  );
});

async function check(world: World, domain: string, hostname: string, at: string): Promise<void> {
  const own = deciding(world, domain, hostname);
  const expected = own?.uploaded ?? own?.ordered ?? null;
  for (const { edge, caddy } of edges) {
    const answers = edge.ports.map(async (port) => serialIn(await edge.certificate(hostname, { port })));
    expect([at, ...(await Promise.all(answers))]).toEqual([at, expected ?? 204, expected ?? 204]);
    // Where a live connection has none of ours, Caddy would obtain one, and keep it in memory for a while.
    const isCaddysTurn = expected === null && own === world.get(hostname) && own !== undefined;
    if (!isCaddysTurn) expect([at, await handshake(caddy, hostname)]).toEqual([at, expected]);
  }
}

test('a handshake is decided by the hostname in any case; names with a trailing dot or with more labels get no certificate', async () => {
  const [world, domain] = newWorld();
  for (const act of ['add', 'upload'] as const) await take(world, domain, { label: '*', act });
  const { uploaded } = world.get(`*.${domain}`)!;
  const shown = (servername: string) => handshake(edges[0]!.caddy, servername);
  for (const name of [`shop.${domain}`, `SHOP.${domain.toUpperCase()}`])
    expect([name, await shown(name)]).toEqual([name, uploaded]);
  for (const name of [`shop.${domain}.`, `a.b.${domain}`, `*.${domain}`, domain, `x${domain}`, 'localhost'])
    expect([name, await shown(name)]).toEqual([name, null]);
});
