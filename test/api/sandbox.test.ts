import pg from 'pg';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { touchConnection } from '../../src/db/connection/touches.ts';
import type { Subject } from '../../src/domain/observation/check.ts';
import { createDetection } from '../../src/dns/detect.ts';
import { createDoctor } from '../../src/domain/certificate/doctor.ts';
import { sandboxChecker } from '../../src/sandbox/checker.ts';
import { sandboxObserver } from '../../src/sandbox/observer.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';

let api: TestApi;
let tenant: NewTenant;
let database: pg.Client;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
  database = new pg.Client({ connectionString: api.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await api.stop();
});

const client = () => api.client(tenant.test.key);
const create = async (hostname: string) =>
  expectData(
    await client().POST('/v1/connections', { body: { application_id: tenant.test.application_id, hostname } }),
  );
const put = async (body: {
  records: { host: string; type: 'TXT' | 'CNAME' | 'A' | 'CAA'; value: string; ttl?: number }[];
  remove?: { host: string }[];
}) => expectData(await client().PUT('/v1/sandbox/records', { body })).data;
const messages = async (id: string) =>
  (
    await database.query<{ kind: string }>('SELECT kind FROM outbox WHERE aggregate_id = $1 ORDER BY id', [id])
  ).rows.map(({ kind }) => kind);

const subjectOf = (made: Awaited<ReturnType<typeof create>>, liveAt: number | null = null): Subject => ({
  tenantId: tenant.tenant_id,
  hostname: made.hostname,
  challenge: made.ownership_challenge,
  desiredRecords: [{ host: made.hostname, type: 'CNAME', value: 'edge.service.dev', ttl: 300, priority: null }],
  liveAt,
  nameservers: null,
});
const never = new AbortController().signal;
const parts = () => ({ db: api.deps.pool, edge: api.deps.edge, detection: createDetection([]) });
const NOW = Date.parse('2026-01-01T00:00:00Z');
const check = async (made: Awaited<ReturnType<typeof create>>, at: number, liveAt: number | null = null) => {
  const observer = sandboxChecker(parts());
  const subject = subjectOf(made, liveAt);
  const [challenge, records] = [
    await observer.challenge(subject, at, never),
    await observer.records(subject, at, never),
  ];
  return { verdicts: [challenge.verdict, records.verdict], findings: records.findings.map(({ code }) => code) };
};

test('records are published, replaced by host and type, and removed', async () => {
  const made = await create(someName('test'));
  const before = await check(made, Date.now());
  const { name, value } = made.ownership_challenge;

  await put({
    records: [
      { host: name, type: 'TXT', value: 'wrong' },
      { host: made.hostname, type: 'CNAME', value: 'edge.service.dev' },
    ],
  });
  const half = await check(made, Date.now() + 1_000);
  const published = await put({ records: [{ host: name, type: 'TXT', value }] });
  const whole = await check(made, Date.now() + 1_000);
  await put({ records: [], remove: [{ host: name }] });
  const after = await check(made, Date.now() + 1_000);

  expect(published).toEqual([{ host: name, type: 'TXT', value, ttl: 300, priority: null }]);
  expect([before, half, whole, after].map(({ verdicts }) => verdicts)).toEqual([
    ['mismatch', 'mismatch'],
    ['mismatch', 'match'],
    ['match', 'match'],
    ['mismatch', 'match'],
  ]);
});

test('setting a record triggers a check of the affected connections only, at most once in thirty seconds', async () => {
  const [made, other] = [await create(someName('test')), await create(someName('test'))];

  await put({ records: [{ host: made.ownership_challenge.name, type: 'TXT', value: 'x' }] });
  await put({ records: [{ host: made.hostname, type: 'A', value: '192.0.2.1' }] });

  expect([await messages(made.id), await messages(other.id)]).toEqual([['start', 'touch'], ['start']]);
});

test('repeated interest within thirty seconds triggers one check', async () => {
  const made = await create(someName('test'));
  const touched = { id: made.id, tenant_id: tenant.tenant_id };
  for (const seconds of [0, 10, 29, 31, 45, 62])
    await touchConnection(api.deps.pool, touched, new Date(NOW + seconds * 1_000));

  expect(await messages(made.id)).toEqual(['start', 'touch', 'touch', 'touch']);
});

test('opening the widget again triggers a check', async () => {
  const made = await create(someName('test'));

  await create(made.hostname);

  expect(await messages(made.id)).toEqual(['start', 'touch']);
});

test('each tenant has its own sandbox zone', async () => {
  const made = await create(someName('test'));
  const stranger = await api.tenant();
  const { name, value } = made.ownership_challenge;

  await api
    .client(stranger.test.key)
    .PUT('/v1/sandbox/records', { body: { records: [{ host: name, type: 'TXT', value }] } });

  expect((await check(made, Date.now() + 1_000)).verdicts[0]).toBe('mismatch');
});

test('auto hostnames publish immediately, slow ones after a minute, stalling ones only the challenge', async () => {
  const [auto, slow, stall] = [
    await create(someName('auto.test')),
    await create(someName('slow.test')),
    await create(someName('stall.test')),
  ];

  expect((await check(auto, NOW)).verdicts).toEqual(['match', 'match']);
  expect((await check(slow, NOW)).verdicts).toEqual(['mismatch', 'mismatch']);
  expect((await check(slow, NOW + 59_000)).verdicts).toEqual(['mismatch', 'mismatch']);
  expect((await check(slow, NOW + 60_000)).verdicts).toEqual(['match', 'match']);
  expect((await check(stall, NOW + 3_600_000)).verdicts).toEqual(['match', 'mismatch']);
});

test('conflict hostnames have a foreign CNAME, which the finding reports', async () => {
  const made = await create(someName('conflict.test'));

  expect(await check(made, NOW)).toEqual({ verdicts: ['match', 'mismatch'], findings: ['wrong_value'] });
});

describe('mistakes in the sandbox give the same findings as in the real DNS', () => {
  const codes = async (made: Awaited<ReturnType<typeof create>>) => {
    const checker = sandboxChecker(parts());
    const later = Date.now() + 1_000;
    const [challenge, records] = [
      await checker.challenge(subjectOf(made), later, never),
      await checker.records(subjectOf(made), later, never),
    ];
    const [proof, pointing] = [challenge.findings, records.findings].map((all) => all.map(({ code }) => code));
    return { proof, pointing, observed: records.records.flatMap(({ observed }) => observed) };
  };
  type Made = Awaited<ReturnType<typeof create>>;
  const at = (host: string, type: 'TXT' | 'CNAME' | 'A', value: string) => put({ records: [{ host, type, value }] });

  const proofs: [string, (made: Made, zone: string) => Promise<unknown>][] = [
    ['missing', () => Promise.resolve()],
    ['wrong_value', ({ ownership_challenge: { name } }) => at(name, 'TXT', 'something else')],
    ['quoted_value', ({ ownership_challenge: { name, value } }) => at(name, 'TXT', `"${value}"`)],
    ['doubled_host', ({ ownership_challenge: { name, value } }, zone) => at(`${name}.${zone}`, 'TXT', value)],
    ['challenge_at_bare_host', ({ hostname, ownership_challenge: { value } }) => at(hostname, 'TXT', value)],
    ['challenge_is_cname', ({ ownership_challenge: { name } }) => at(name, 'CNAME', 'elsewhere.test')],
  ];
  test.each(proofs)('%s', async (code, makeMistake) => {
    const zone = someName('test');
    const made = await create(`shop.${zone}`);
    await makeMistake(made, zone);
    expect((await codes(made)).proof).toEqual([code]);
  });

  const pointings: [string, (made: Made, zone: string) => Promise<unknown>][] = [
    ['missing', () => Promise.resolve()],
    ['wrong_value', ({ hostname }) => at(hostname, 'CNAME', 'elsewhere.test')],
    ['cname_conflict', ({ hostname }) => at(hostname, 'A', '198.51.100.7')],
    ['cname_conflict', ({ hostname }) => at(hostname, 'TXT', 'something')],
    ['doubled_host', ({ hostname }, zone) => at(`${hostname}.${zone}`, 'CNAME', 'edge.service.dev')],
    ['flattened_ok', ({ hostname }) => at(hostname, 'A', '192.0.2.10')],
  ];
  test.each(pointings)('%s of the record that points here', async (code, makeMistake) => {
    const zone = someName('test');
    const made = await create(`shop.${zone}`);
    await makeMistake(made, zone);
    expect((await codes(made)).pointing).toEqual([code]);
  });

  test('and published records are shown with their own type and TTL', async () => {
    const made = await create(`shop.${someName('test')}`);
    await put({ records: [{ host: made.hostname, type: 'A', value: '198.51.100.7', ttl: 77 }] });
    expect((await codes(made)).observed).toEqual([{ type: 'A', value: '198.51.100.7', ttl: 77, priority: null }]);
  });
});

describe('CAA in the sandbox', () => {
  const forbidden = async (made: Awaited<ReturnType<typeof create>>): Promise<(string | undefined)[]> => {
    const doctor = createDoctor((subject, now) => sandboxObserver(parts(), subject, now), {
      identities: ['letsencrypt.org'],
      advisory: true,
    });
    const findings = await doctor.examine(subjectOf(made), LATER, never);
    expect(findings.every(({ code, severity }) => code === 'caa_blocked' && severity === 'warning')).toBe(true);
    return findings.map(({ record }) => record?.host);
  };
  const LATER = Date.now() + 60_000;

  test('hostnames below caa.test publish their records, and CAA at caa.test forbids certificates', async () => {
    const [made, auto] = [await create(someName('caa.test')), await create(someName('auto.test'))];
    expect(await forbidden(made)).toEqual([]);
    expect(await check(made, NOW)).toEqual({ verdicts: ['match', 'match'], findings: [] });
    expect([await forbidden(made), await forbidden(auto)]).toEqual([['caa.test'], []]);
  });

  test('the nearest CAA record set decides, and one allowing value is enough', async () => {
    const zone = someName('test');
    const made = await create(`shop.${zone}`);
    const caa = (host: string, ...values: string[]) =>
      put({ records: values.map((value) => ({ host, type: 'CAA', value: `0 issue "${value}"` })) });

    await caa(zone, 'other-authority.test');
    expect(await forbidden(made)).toEqual([zone]);
    await caa(zone, 'other-authority.test', 'letsencrypt.org');
    expect(await forbidden(made)).toEqual([]);
    await caa(made.hostname, ';');
    expect(await forbidden(made)).toEqual([made.hostname]);
    await put({ records: [], remove: [{ host: made.hostname }] });
    expect(await forbidden(made)).toEqual([]);
  });

  test('a CAA record triggers checks of connections below it, as no other type does', async () => {
    const zone = someName('test');
    const [made, other] = [await create(`shop.${zone}`), await create(`shop-${zone}`)];
    await put({ records: [{ host: zone, type: 'A', value: '192.0.2.1' }] });
    expect(await messages(made.id)).toEqual(['start']);
    await put({ records: [{ host: zone, type: 'CAA', value: '0 issue ";"' }] });
    expect([await messages(made.id), await messages(other.id)]).toEqual([['start', 'touch'], ['start']]);
  });
});

test('drift hostnames lose their records a minute after they go live, until the records are set again', async () => {
  const made = await create(someName('drift.test'));
  const liveAt = Date.now() - 120_000;
  const first = await check(made, liveAt - 1_000);
  const fresh = await check(made, liveAt + 59_000, liveAt);
  const drifted = await check(made, liveAt + 60_000, liveAt);

  await put({ records: [{ host: made.hostname, type: 'CNAME', value: 'edge.service.dev' }] });
  const restored = await check(made, Date.now() + 1_000, liveAt);

  expect([first, fresh, drifted, restored].map(({ verdicts }) => verdicts[1])).toEqual([
    'match',
    'match',
    'mismatch',
    'match',
  ]);
});
