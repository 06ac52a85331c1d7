import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { createSecureContext, createServer, type Server } from 'node:tls';
import { z } from 'zod';
import { saveCertificate } from '../../src/certificates/save.ts';
import { registrableDomain } from '../../src/dns/suffix.ts';
import type { Certificates, CertificateSource } from '../../src/domain/certificate/certificate.ts';
import type { State } from '../../src/domain/connection/connection.ts';
import type { Finding } from '../../src/domain/observation/finding.ts';
import { edgeCertificates } from '../../src/edge/certificates.ts';
import { trustFile } from '../../src/edge/handshake.ts';
import { StreamRelays } from '../../src/edge/stream-relays.ts';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import type { StoredSource } from '../../src/db/certificate/certificates.ts';
import { sql } from '../../src/db/pool.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { openVault } from '../../src/vault/vault.ts';
import { startTestAuthority, type IssuedCertificate, type TestAuthority } from '../support/certificate-authority.ts';
import { startControlPlane, type ControlPlane } from '../support/fixtures/control-plane.ts';

/** The worker's part of a wildcard's certificate, at a TLS listener that plays the edge. */
const vault = openVault(`k1:${randomBytes(32).toString('base64')}`);
const never = new AbortController().signal;

let plane: ControlPlane;
let authority: TestAuthority;
let edge: Server;
let certificates: Certificates;
/** Certificates that the edge shows, by the hostname that a client asks for; it refuses all others. */
let shows: (hostname: string) => IssuedCertificate | undefined;
/** Hostnames of the handshakes. */
let asked: string[];
/** Findings of the checks before a certificate is obtained. */
let findings: Finding[];
/** Sources for which these checks were made. */
let examined: (CertificateSource | undefined)[];

beforeAll(async () => {
  [plane, authority] = [await startControlPlane(), await startTestAuthority()];
  edge = createServer({
    SNICallback(hostname, done) {
      asked.push(hostname);
      const issued = shows(hostname);
      // Without a certificate the handshake ends with an alert, as Caddy ends one that it may not complete.
      done(null, createSecureContext(issued === undefined ? {} : { cert: issued.chain, key: issued.key }));
    },
  }).on('tlsClientError', () => undefined);
  await once(edge.listen(0, '127.0.0.1'), 'listening');
  const { port } = edge.address() as AddressInfo;
  certificates = edgeCertificates({
    pool: plane.pool,
    address: { host: '127.0.0.1', port, trust: trustFile(authority.rootFile) },
    authority: { accounts: ['https://ca.test/directory'], refusal: () => Promise.resolve(undefined) },
    doctor: {
      examine(_subject, _now, _signal, source) {
        examined.push(source);
        return Promise.resolve(findings);
      },
    },
    registeredDomain: registrableDomain,
  });
});
beforeEach(() => {
  [shows, asked, findings, examined] = [() => undefined, [], [], []];
});
afterAll(async () => {
  edge.close();
  await plane.stop();
});

const subjectOf = (hostname: string) => ({
  tenantId: '',
  hostname,
  challenge: { name: '', value: '' },
  desiredRecords: [],
  liveAt: null,
  nameservers: null,
});
const obtain = (hostname: string) => certificates.obtain(subjectOf(hostname), Date.now(), never);

async function wildcard(): Promise<{ domain: string; hostname: string; id: string }> {
  const domain = `d${randomUUID().slice(0, 8)}-customer.com`;
  return { domain, hostname: `*.${domain}`, id: await plane.connect(`*.${domain}`, 'issuing_cert') };
}

async function save(
  id: string,
  hostname: string,
  names = [hostname],
  source: StoredSource = 'ordered',
): Promise<IssuedCertificate> {
  const connection = { id, tenant_id: plane.tenant.tenant_id, hostname };
  const issued = authority.issue(names);
  await plane.pool.transaction((tx) => saveCertificate(tx, vault, connection, { source, ...issued }, new Date()));
  return issued;
}

const WAITS = { outcome: 'blocked', errorCode: null, findings: [], couldNotAsk: true };

test('a wildcard without a certificate waits without a deadline, and makes no handshake', async () => {
  const { hostname } = await wildcard();
  const outcome = await obtain(hostname);
  expect(outcome).toMatchObject({ ...WAITS, sentence: expect.stringContaining(hostname) as string });
  expect(outcome).toHaveProperty('retryAfterMs', expect.any(Number));
  expect(asked).toEqual([]);
});

test('a wildcard’s certificate counts when a random label below it shows it, and is checked the same way later', async () => {
  const { domain, hostname, id } = await wildcard();
  const issued = await save(id, hostname);
  shows = () => issued;
  const seen = { source: 'ordered', names: [hostname] };
  expect(await obtain(hostname)).toMatchObject({ outcome: 'issued', certificate: seen });
  const health = await certificates.inspect(subjectOf(hostname), Date.now(), never);
  expect(health).toMatchObject({ shown: seen, findings: [] });
  expect(new Set(asked).size).toBe(2);
  for (const name of asked) expect(name).toMatch(new RegExp(`^check-[0-9a-f-]{12}\\.${domain}$`));
});

test('an edge that refuses the handshake, or shows a certificate of a single label, does not make a wildcard live', async () => {
  const { domain, hostname, id } = await wildcard();
  await save(id, hostname);
  expect(await obtain(hostname)).toMatchObject({
    outcome: 'blocked',
    errorCode: 'edge_unreachable',
    couldNotAsk: true,
    sentence: expect.stringContaining('does not have the certificate') as string,
  });
  shows = (name) => authority.issue([name]);
  expect(await obtain(hostname)).toMatchObject({ ...WAITS, sentence: expect.stringContaining('not show') as string });
  shows = () => authority.issue([`other.${domain}`]);
  expect(await obtain(hostname)).toMatchObject({ outcome: 'blocked', errorCode: 'cert_failed' });
});

test('an expired certificate of a wildcard is as good as none', async () => {
  const { hostname, id } = await wildcard();
  await save(id, hostname);
  const later = Date.now() + 91 * 86_400_000;
  expect(await certificates.obtain(subjectOf(hostname), later, never)).toMatchObject(WAITS);
  expect(asked).toEqual([]);
});

test('an obstacle such as a CAA record is reported before a wildcard waits', async () => {
  const { hostname } = await wildcard();
  findings = [{ code: 'caa_blocked', severity: 'error', message: 'CAA', fix: null }];
  expect(await obtain(hostname)).toMatchObject({ outcome: 'blocked', errorCode: 'caa_blocked' });
});

test.each(['ordered', 'uploaded'] as const)(
  'a CAA record does not stop a connection that has an %s certificate: it concerns the next one',
  async (source) => {
    const { domain } = await wildcard();
    const exact = `shop.${domain}`;
    const issued = await save(await plane.connect(exact, 'issuing_cert'), exact, [exact], source);
    shows = () => issued;
    findings = [{ code: 'caa_blocked', severity: 'error', message: 'CAA', fix: null }];
    expect(await obtain(exact)).toMatchObject({
      outcome: 'issued',
      certificate: { source },
      findings: [{ severity: 'warning' }],
    });
    expect(examined).toEqual([source]);
  },
);

test('an exact connection is not live while the edge shows the wildcard’s certificate for it', async () => {
  const { domain, hostname, id } = await wildcard();
  const exact = `shop.${domain}`;
  await plane.connect(exact, 'issuing_cert');
  const ofWildcard = await save(id, hostname);
  shows = () => ofWildcard;
  expect(await obtain(exact)).toMatchObject({ ...WAITS, sentence: expect.stringContaining(hostname) as string });
  shows = (name) => authority.issue([name]);
  expect(await obtain(exact)).toMatchObject({ outcome: 'issued', certificate: { names: [exact], source: 'edge' } });
  expect(asked).toEqual([exact, exact]);
});

test('an imported certificate makes a hostname live without an order, and shows that it was imported', async () => {
  const { domain } = await wildcard();
  const exact = `shop.${domain}`;
  const issued = await save(await plane.connect(exact, 'issuing_cert'), exact, [exact], 'edge');
  shows = () => issued;
  const seen = { source: 'edge', imported: true };
  expect(await obtain(exact)).toMatchObject({ outcome: 'issued', certificate: seen });
  expect(await certificates.inspect(subjectOf(exact), Date.now(), never)).toMatchObject({ shown: seen });
  const orders = await plane.pool.any(sql.type(z.object({}))`SELECT FROM certificate_orders WHERE hostname = ${exact}`);
  expect(orders).toEqual([]);
  shows = (name) => authority.issue([name]);
  expect(await obtain(exact)).toMatchObject({ certificate: { source: 'edge', imported: false } });
});

test('an exact connection may have a certificate of its own that names the wildcard only', async () => {
  const { domain } = await wildcard();
  const exact = `shop.${domain}`;
  const issued = await save(await plane.connect(exact, 'issuing_cert'), exact, [`*.${domain}`]);
  shows = () => issued;
  expect(await obtain(exact)).toMatchObject({ outcome: 'issued', certificate: { source: 'ordered' } });
});

test('a stream to a label ends when the label gets a connection of its own, and when its wildcard is archived', async () => {
  const { domain, id } = await wildcard();
  const originUrl = 'http://127.0.0.1:9';
  const origin = { addresses: ['127.0.0.1'], port: 9, name: '127.0.0.1', scheme: 'http', host: '127.0.0.1:9' } as const;
  await plane.setOrigin(originUrl);
  await moveTo(id, 'live');
  const relays = new StreamRelays(plane.admission);
  const open = async (hostname: string) => relays.to(hostname, originUrl, origin, '127.0.0.1');
  const [taken, kept] = [await open(`taken.${domain}`), await open(`kept.${domain}`)];

  const exact = await plane.connect(`taken.${domain}`, 'verified', await createTenant(plane.pool, 'Other'));
  expect([await accepts(await open(`taken.${domain}`)), await accepts(kept)]).toEqual([true, true]);
  await moveTo(exact, 'live');
  expect(await accepts(taken)).toBe(false);
  const another = await open(`another.${domain}`);
  await moveTo(id, 'archived');
  expect(await accepts(another)).toBe(false);
  await expect(open(`late.${domain}`)).rejects.toThrow('not served any more');
  await relays.stop();
});

const moveTo = async (id: string, state: State): Promise<void> => {
  await plane.setState(id, state);
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
};

/** Whether a relay still accepts its one connection. */
async function accepts(dial: string): Promise<boolean> {
  const socket = connect(Number(dial.split(':').at(-1)), '127.0.0.1');
  const isAccepted = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isAccepted;
}
