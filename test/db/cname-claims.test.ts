import { MockActivityEnvironment } from '@temporalio/testing';
import { z } from 'zod';
import { createActivities, type Activities } from '../../activities/index.ts';
import { connect } from '../../src/api/connect.ts';
import { getApplication } from '../../src/db/tenant/applications.ts';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { getConnection } from '../../src/db/connection/connections.ts';
import { none, sql } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { createObserver } from '../../src/dns/observer.ts';
import { RCODE } from '../../src/dns/message.ts';
import { StepSemaphore } from '../../src/net/step-semaphore.ts';
import { challengeName } from '../../src/domain/connection/challenge.ts';
import type { Environment } from '../../src/domain/connection/connection.ts';
import type { VerifyOutcome } from '../../src/domain/connection/snapshot.ts';
import { REAL_PACE } from '../../src/domain/connection/schedule.ts';
import type { Hostname } from '../../src/domain/hostname.ts';
import { noCertificate } from '../../src/domain/certificate/certificate.ts';
import { createChecker } from '../../src/domain/observation/checker.ts';
import type { Observer } from '../../src/domain/observation/observer.ts';
import { startLyingServer, type LyingServer, type Story } from '../support/doubles/lying-server.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { startControlPlane, type ControlPlane } from '../support/fixtures/control-plane.ts';
import { freeDnsPort, loopbackAddresses } from '../support/fixtures/dns-port.ts';
import { noOrdering } from '../support/fixtures/ordering.ts';
import { testProviderAccess } from '../support/fixtures/provider-access.ts';

/** Real Postgres, real checks and the real command line over loopback name servers. Time is a parameter. */
const [SERVER = '', RESOLVER = ''] = loopbackAddresses(2);
const EDGE = { cnameTarget: 'edge.service-lab.com', ipv4: ['192.0.2.10'], ipv6: [], policy: 'any' as const };
const TARGET = 'customers.saas-lab.com';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let plane: ControlPlane;
let servers: LyingServer[];
let observer: Observer;
let dnsPort: number;
let tenants: NewTenant[];
/** Records by name: a CNAME, TXT values, or an address. */
const dns = new Map<string, { CNAME?: string; TXT?: string[]; A?: string }>();
let isSilent = false;

const domainOf = (name: string) => name.split('.').slice(-2).join('.');
const authoritative: Story = ({ name, type }) => {
  if (isSilent) return undefined;
  const soa = {
    type: 'SOA' as const,
    name: domainOf(name),
    ttl: 60,
    data: { mname: 'ns.lab', rname: 'h.lab', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 60 },
  };
  if (name === domainOf(name) && type === 'SOA') return { answers: [soa] };
  const wildcard = dns.get(`*.${name.split('.').slice(1).join('.')}`);
  const { CNAME, TXT = [], A } = dns.get(name) ?? wildcard ?? {};
  if (CNAME !== undefined) return { answers: [{ type: 'CNAME', name, ttl: 60, data: CNAME }] };
  if (type === 'TXT' && TXT.length > 0)
    return { answers: TXT.map((data) => ({ type: 'TXT' as const, name, ttl: 60, data })) };
  if (type === 'A' && A !== undefined) return { answers: [{ type: 'A', name, ttl: 60, data: A }] };
  return { authorities: [soa], rcode: dns.has(name) ? 0 : RCODE.NXDOMAIN };
};
const recursive: Story = (asked) => {
  const { name, type } = asked;
  if (name.startsWith('ns.'))
    return type === 'A' ? { answers: [{ type: 'A', name, ttl: 60, data: SERVER }] } : { answers: [] };
  if (type === 'NS' && name === domainOf(name)) return { answers: [{ type: 'NS', name, ttl: 60, data: `ns.${name}` }] };
  return authoritative(asked);
};

beforeAll(async () => {
  plane = await startControlPlane();
  tenants = [plane.tenant, await createTenant(plane.pool, 'Two')];
  dnsPort = await freeDnsPort([SERVER, RESOLVER]);
  servers = await Promise.all([SERVER, RESOLVER].map((address) => startLyingServer(address, dnsPort)));
  servers[0]?.answerWith(authoritative);
  servers[1]?.answerWith(recursive);
  observer = createObserver({
    resolvers: [`${RESOLVER}:${dnsPort}`],
    authoritativePort: dnsPort,
    allowPrivate: true,
  });
});
afterAll(async () => {
  await observer.close();
  await Promise.all(servers.map((server) => server.stop()));
  await plane.stop();
});
beforeEach(async () => {
  dns.clear();
  isSilent = false;
  await plane.pool.query(sql.type(none)`DELETE FROM cname_targets`);
});

const activities = ({ cnameProof = true } = {}): Activities =>
  createActivities({
    pool: plane.pool,
    providerAccess: testProviderAccess(plane.pool),
    checkerFor: () =>
      createChecker({ observerOf: () => observer, providersOf: () => [], paceOf: () => REAL_PACE, edge: EDGE }),
    awaitChallenge: () => Promise.resolve(false),
    turns: new StepSemaphore(),
    lookupFor: () => observer.lookup(),
    certificatesFor: () => noCertificate,
    cnameProof,
    ordering: noOrdering(plane.pool, testProviderAccess(plane.pool)),
    probes: { edge: null, dial: { allowed: [] }, edgeHosts: [] },
    random: () => 0.5,
    recordLive: () => undefined,
    recordCheck: () => undefined,
  });

type Check = 'lookForChallenge' | 'lookForRecords' | 'watch';
/** Runs one check at this time, and returns the connection. A check that waits ends with a retry. */
async function check(kind: Check, id: string, now = Date.now(), options?: { cnameProof: boolean }) {
  const env = new MockActivityEnvironment({ currentAttemptScheduledTimestampMs: now, scheduledTimestampMs: now });
  await env.run(activities(options)[kind], id, false).catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'ApplicationFailure') throw error;
  });
  return (await getConnection(plane.pool, id)) as ConnectionRow;
}

/** Checks immediately, like POST verify, and returns the outcome. */
async function verify(id: string, now = Date.now()): Promise<string> {
  const env = new MockActivityEnvironment({ currentAttemptScheduledTimestampMs: now, scheduledTimestampMs: now });
  const { outcome } = await env.run<[string], { outcome: VerifyOutcome }, Activities['verifyNow']>(
    activities().verifyNow,
    id,
  );
  return outcome.outcome;
}

const cli = async (args: string[], env: Record<string, string> = {}) => {
  const { out, err, code } = await runCli([...args, '--json'], {
    DATABASE_URL: plane.databaseUrl,
    DNS_RESOLVERS: `${RESOLVER}:${dnsPort}`,
    DNS_AUTHORITATIVE_PORT: String(dnsPort),
    DNS_ALLOW_PRIVATE: 'true',
    EDGE_CNAME_TARGET: EDGE.cnameTarget,
    IMPORT_CNAME_PROOF: 'on',
    ...env,
  });
  return { json: out === '' ? {} : (JSON.parse(out) as Record<string, unknown>), err, code };
};
const ofTenant = (verb: string, tenant: NewTenant, target = TARGET) => [
  'targets',
  verb,
  target,
  '--tenant',
  tenant.tenant_id,
];

/** Approves the target without the command line, which other tests use. */
const approved = (tenant: NewTenant, target = TARGET) =>
  plane.pool.query(sql.type(none)`
    INSERT INTO cname_targets (tenant_id, hostname, challenge_token, created_at, approved_at)
    VALUES (${tenant.tenant_id}, ${target}, 'token', now(), now())
  `);

const randomName = () => `shop-${crypto.randomUUID().slice(0, 8)}.customer-lab.com`;

/** Creates a connection like the API, or with a target like the operator's import. */
async function create(
  tenant: NewTenant,
  hostname: string,
  { cnameProof = true, target }: { cnameProof?: boolean; target?: string },
): Promise<ConnectionRow> {
  const environment = 'live';
  const application = await getApplication(plane.pool, tenant[environment].application_id);
  if (application === null) throw new Error('The tenant has no application.');
  const request = {
    caller: {
      tenantId: tenant.tenant_id,
      environment: environment as Environment,
      scopes: new Set<never>(),
      credential: { kind: 'key' as const, keyId: crypto.randomUUID(), applicationId: application.id },
    },
    application,
    batch_id: null,
    companion: true,
    cnameProof,
    delegation: null,
    edge: EDGE,
    upgradeUrl: '',
    now: new Date(),
  };
  const requested = { hostname: hostname as Hostname, path: 'hostname', external_id: null, route: null };
  const more = { serve: true, variables: {}, ...(target === undefined ? {} : { proof_target: target }) };
  const { row } = await plane.pool.transaction((tx) => connect(tx, request, { ...requested, ...more }));
  return row;
}
const imported = (tenant: NewTenant, hostname: string, options: { cnameProof?: boolean; target?: string } = {}) =>
  create(tenant, hostname, { target: TARGET, ...options });

/** Imports a hostname with a CNAME to the approved target, and proves it. */
async function proved(tenant: NewTenant, hostname = randomName()): Promise<ConnectionRow> {
  dns.set(hostname, { CNAME: TARGET });
  const { id } = await imported(tenant, hostname);
  const row = await check('lookForChallenge', id);
  expect(row).toMatchObject({ state: 'verified', proof: 'cname_target' });
  await move(id, 'propagating');
  return row;
}
const move = (id: string, state: 'propagating' | 'live') => plane.setState(id, state);
const proveByText = async (tenant: NewTenant, hostname: string) => {
  const row = await create(tenant, hostname, {});
  dns.set(challengeName(hostname), { TXT: [row.challenge_token] });
  return check('lookForChallenge', row.id);
};
const asks = async (hostname: string) =>
  (await fetch(`http://127.0.0.1:${plane.port}/internal/ask?domain=${hostname}`)).status === 200;
const eventsOf = (id: string) =>
  plane.pool.anyFirst(sql.type(z.object({ type: z.string() }))`
    SELECT type FROM events WHERE connection_id = ${id} ORDER BY sequence
  `);

describe('a target', () => {
  test('is approved only once the tenant’s TXT record proves it, and then proves hostnames of that tenant', async () => {
    const [one] = tenants as [NewTenant];
    const added = await cli(ofTenant('add', one));
    expect(added).toMatchObject({ code: 0, json: { hostname: TARGET, approved_at: null } });
    const { challenge } = added.json as { challenge: { name: string; value: string } };
    const early = await cli(ofTenant('approve', one));
    expect(early).toMatchObject({ code: 1 });
    expect(early.err).toContain('does not prove the target (missing)');

    dns.set(challenge.name, { TXT: [challenge.value] });
    expect(await cli(ofTenant('approve', one))).toMatchObject({ code: 0 });
    const { hostname } = await proved(one);
    expect(await cli(['targets', 'list'])).toMatchObject({
      json: { data: [{ hostname: TARGET, tenant_id: one.tenant_id, connections: 1 }] },
    });
    expect(await asks(hostname)).toBe(true);
  });

  test('of one tenant cannot be approved for a second, whose TXT record is not there', async () => {
    const [one, two] = tenants as [NewTenant, NewTenant];
    const first = (await cli(ofTenant('add', one))).json as { challenge: { name: string; value: string } };
    dns.set(first.challenge.name, { TXT: [first.challenge.value] });
    await cli(ofTenant('add', two));
    expect((await cli(ofTenant('approve', two))).err).toContain('does not prove the target (mismatch)');
    expect(await cli(ofTenant('approve', one))).toMatchObject({ code: 0 });
    expect((await cli(ofTenant('approve', two))).err).toContain('Revoke that one first');
  });

  test.each([
    ['a public suffix', 'co.uk', 'public suffix'],
    ['a private public suffix', 'github.io', 'public suffix'],
    ['the edge’s own target', EDGE.cnameTarget, 'belongs to this service'],
    ['a name below the edge’s target', `eu.${EDGE.cnameTarget}`, 'belongs to this service'],
    ['a wildcard', '*.saas-lab.com', 'wildcard'],
  ])('cannot be %s', async (_, target, reason) => {
    const { code, err } = await cli(ofTenant('add', tenants[0] as NewTenant, target));
    expect(code).toBe(2);
    expect(err.toLowerCase()).toContain(reason.toLowerCase());
  });

  test('cannot be added while IMPORT_CNAME_PROOF is off', async () => {
    const { code, err } = await cli(ofTenant('add', tenants[0] as NewTenant), { IMPORT_CNAME_PROOF: 'off' });
    expect([code, err]).toEqual([1, expect.stringContaining('IMPORT_CNAME_PROOF=on')]);
  });

  test('that is revoked ends the claims of its hostnames in every state, and ask refuses them', async () => {
    const one = await createTenant(plane.pool, 'Revoked');
    await approved(one);
    const waiting = await proved(one);
    const live = await proved(one);
    await move(live.id, 'live');
    const upgraded = await proved(one);
    dns.set(challengeName(upgraded.hostname), { TXT: [upgraded.challenge_token] });
    expect(await verify(upgraded.id)).toBe('verified');

    expect(await cli([...ofTenant('revoke', one), '--reason', 'moved'])).toMatchObject({ code: 0, json: { ended: 2 } });
    for (const { id, hostname } of [waiting, live]) {
      expect(await getConnection(plane.pool, id)).toMatchObject({ state: 'failed', error_code: 'claim_lost' });
      expect(await asks(hostname)).toBe(false);
    }
    // Its TXT record is a proof of its own.
    expect(await getConnection(plane.pool, upgraded.id)).toMatchObject({ state: 'propagating', proof: 'txt' });
    // A dangling CNAME to the revoked target proves nothing any more.
    await expect(imported(one, waiting.hostname)).rejects.toThrow('not an approved target');
    expect(await verify(live.id)).toBe('missing');
  });

  test('that is revoked while a check runs proves nothing', async () => {
    const [one] = tenants as [NewTenant];
    await approved(one);
    const hostname = randomName();
    dns.set(hostname, { CNAME: TARGET });
    const { id } = await imported(one, hostname);
    servers[0]?.answerWith((asked) => {
      if (asked.type === 'CNAME') revoking ??= plane.pool.query(sql.type(none)`DELETE FROM cname_targets`);
      return authoritative(asked);
    });
    let revoking: Promise<unknown> | undefined;
    await check('lookForChallenge', id).catch(() => undefined);
    servers[0]?.answerWith(authoritative);
    expect(revoking).toBeDefined();
    expect((await getConnection(plane.pool, id))?.state).not.toBe('verified');
  });

  test('of a tenant that left proves nothing for anyone, although hostnames still point to it', async () => {
    const gone = await createTenant(plane.pool, 'Gone');
    await approved(gone);
    const { id, hostname } = await proved(gone);
    const deleted = cli(['tenant', 'delete', '--tenant', gone.tenant_id, '--yes']);
    // No worker runs here, so the test does the clean-up.
    const cleaning = setInterval(
      () =>
        void plane.pool.query(sql.type(none)`
          UPDATE connections SET cleanup = 'done' WHERE id = ${id} AND cleanup = 'pending'
        `),
      200,
    );
    expect(await deleted).toMatchObject({ code: 0 });
    clearInterval(cleaning);
    expect(await asks(hostname)).toBe(false);
    await expect(imported(tenants[1] as NewTenant, hostname)).rejects.toThrow('not an approved target');
  });
});

describe('an import', () => {
  test('is refused while IMPORT_CNAME_PROOF is off', async () => {
    await approved(tenants[0] as NewTenant);
    await expect(imported(tenants[0] as NewTenant, randomName(), { cnameProof: false })).rejects.toThrow('is off');
  });

  test('that was made before IMPORT_CNAME_PROOF went off waits, and proves nothing', async () => {
    await approved(tenants[0] as NewTenant);
    const hostname = randomName();
    dns.set(hostname, { CNAME: TARGET });
    const { id } = await imported(tenants[0] as NewTenant, hostname);
    expect(await check('lookForChallenge', id, Date.now(), { cnameProof: false })).toMatchObject({
      state: 'pending_ownership',
    });
  });

  test('of a second tenant cannot use the first one’s target', async () => {
    const [one, two] = tenants as [NewTenant, NewTenant];
    await approved(one);
    await expect(imported(two, randomName())).rejects.toThrow('not an approved target');
  });

  test('of a hostname whose claim is held is refused for everyone', async () => {
    const [one, two] = tenants as [NewTenant, NewTenant];
    await approved(one);
    await approved(two, 'customers.second-lab.com');
    const { hostname } = await proved(one);
    await expect(imported(one, hostname)).rejects.toThrow('already connected');
    await expect(imported(two, hostname, { target: 'customers.second-lab.com' })).rejects.toThrow('already connected');
  });

  test('by two tenants gives the hostname to the one whose target its CNAME names', async () => {
    const [one, two] = tenants as [NewTenant, NewTenant];
    await approved(one);
    await approved(two, 'customers.second-lab.com');
    const hostname = randomName();
    dns.set(hostname, { CNAME: 'customers.second-lab.com' });
    const first = await imported(one, hostname);
    const second = await imported(two, hostname, { target: 'customers.second-lab.com' });
    expect(await check('lookForChallenge', first.id)).toMatchObject({ state: 'pending_ownership' });
    expect(await check('lookForChallenge', second.id)).toMatchObject({ state: 'verified' });
  });

  test.each([
    ['an apex', `apex-${crypto.randomUUID().slice(0, 8)}.com`, 'apex'],
    ['a wildcard', `*.${randomName()}`, 'wildcard'],
  ])('of %s is refused', async (_, hostname, reason) => {
    await approved(tenants[0] as NewTenant);
    await expect(imported(tenants[0] as NewTenant, hostname)).rejects.toThrow(reason);
  });

  test('of a hostname that only a wildcard CNAME covers is not proved', async () => {
    await approved(tenants[0] as NewTenant);
    dns.set('*.wild.customer-lab.com', { CNAME: TARGET });
    const { id } = await imported(tenants[0] as NewTenant, 'any.wild.customer-lab.com');
    expect(await check('lookForChallenge', id)).toMatchObject({
      state: 'pending_ownership',
      error_code: 'ownership_not_found',
      findings: [{ code: 'cname_conflict' }],
    });
  });

  test('of a hostname that already has its TXT record is proved by that', async () => {
    await approved(tenants[0] as NewTenant);
    const hostname = randomName();
    const { id, challenge_token } = await imported(tenants[0] as NewTenant, hostname);
    dns.set(hostname, { CNAME: TARGET });
    dns.set(challengeName(hostname), { TXT: [challenge_token] });
    expect(await check('lookForChallenge', id)).toMatchObject({ state: 'verified', proof: 'txt' });
  });

  test('wants the target as its record and nothing else, and brings no companion', async () => {
    await approved(tenants[0] as NewTenant);
    const row = await imported(tenants[0] as NewTenant, `www.brand-${crypto.randomUUID().slice(0, 8)}.com`);
    expect(row.desired_records).toEqual([
      { host: row.hostname, type: 'CNAME', value: TARGET, ttl: 300, priority: null },
    ]);
    const companions = await plane.pool.any(sql.type(none)`SELECT FROM connections WHERE companion_of = ${row.id}`);
    expect(companions).toHaveLength(0);
  });
});

describe('a claim that a CNAME proves', () => {
  beforeEach(() => approved(tenants[0] as NewTenant));

  test.each(['propagating', 'live'] as const)(
    'moves immediately, while it is %s, to a connection of another tenant that proves the hostname by TXT',
    async (state) => {
      const holder = await proved(tenants[0] as NewTenant);
      await move(holder.id, state);
      expect(await asks(holder.hostname)).toBe(true);
      const owner = await proveByText(tenants[1] as NewTenant, holder.hostname);

      expect(owner).toMatchObject({ state: 'verified', proof: 'txt' });
      const loser = await getConnection(plane.pool, holder.id);
      expect(loser).toMatchObject({ state: 'failed', error_code: 'claim_lost', next_check_at: null });
      expect((await eventsOf(holder.id)).at(-1)).toBe('domain.claim_lost');
      const { connection_id } = await plane.pool.one(sql.type(z.object({ connection_id: z.uuid() }))`
        SELECT connection_id FROM admissions WHERE hostname = ${holder.hostname}
      `);
      expect(connection_id).toBe(owner.id);
      // The CNAME is still there. It takes nothing back.
      expect(await verify(holder.id)).toBe('conflict');
      expect(await getConnection(plane.pool, owner.id)).toMatchObject({ state: 'verified' });
    },
  );

  test('is checked again daily, and lost when the CNAME is gone', async () => {
    const { id, hostname } = await proved(tenants[0] as NewTenant);
    await move(id, 'live');
    const start = Date.now();
    dns.set(hostname, { A: '192.0.2.99' });
    expect(await check('watch', id, start + DAY + HOUR)).toMatchObject({ state: 'live' });
    expect(await asks(hostname)).toBe(true);
    // As long as drift takes to be confirmed.
    expect(await check('watch', id, start + DAY + HOUR + 60_000)).toMatchObject({ state: 'live' });
    expect(await check('watch', id, start + DAY + HOUR + 240_000)).toMatchObject({
      state: 'failed',
      error_code: 'claim_lost',
    });
    expect(await asks(hostname)).toBe(false);
    expect((await eventsOf(id)).at(-1)).toBe('domain.claim_lost');

    dns.set(hostname, { CNAME: TARGET });
    expect(await verify(id, start + 2 * DAY)).toBe('verified');
  });

  test('outlives days in which no name server answers', async () => {
    const { id, hostname } = await proved(tenants[0] as NewTenant);
    const start = Date.now();
    isSilent = true;
    for (const day of [1, 2, 9]) expect(await check('lookForRecords', id, start + day * DAY)).toMatchObject({ state: 'propagating' }); // prettier-ignore
    expect(await asks(hostname)).toBe(true);
  }, 60_000);

  test('waits without a deadline until the target points at the edge, and then gets its certificate', async () => {
    const { id } = await proved(tenants[0] as NewTenant);
    dns.set(TARGET, { A: '198.51.100.7' });
    const start = Date.now();
    for (const day of [0, 1, 30, 90])
      expect(await check('lookForRecords', id, start + day * DAY)).toMatchObject({
        state: 'propagating',
        error_code: null,
      });
    dns.set(TARGET, { A: '192.0.2.10' });
    expect(await check('lookForRecords', id, start + 91 * DAY)).toMatchObject({ state: 'issuing_cert' });
  });
});
