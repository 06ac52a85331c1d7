import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { ConnectionDetail } from '../../src/api/schemas/connections.ts';
import { getConnection } from '../../src/db/connection/connections.ts';
import { subjectOf } from '../../src/db/observation/subject.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { createDetection } from '../../src/dns/detect.ts';
import { createDoctor } from '../../src/domain/certificate/doctor.ts';
import type { EdgeTargets } from '../../src/domain/connection/edge-addresses.ts';
import { sandboxChecker } from '../../src/sandbox/checker.ts';
import { sandboxObserver } from '../../src/sandbox/observer.ts';
import { stepOf } from '../../src/widget/step.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';

const [ONE, TWO, UNLISTED] = ['192.0.2.10', '198.51.100.10', '203.0.113.99'] as const;
const EDGE: EdgeTargets = { cnameTarget: 'edge.service.dev', ipv4: [ONE, TWO], ipv6: ['2001:db8::10'], policy: 'any' };
const never = new AbortController().signal;

let api: TestApi;
let tenant: NewTenant;
let database: pg.Client;
beforeAll(async () => {
  api = await startTestApi({ checkerFor: () => sandboxChecker(sandbox()) });
  tenant = await api.tenant();
  database = new pg.Client({ connectionString: api.databaseUrl });
  await database.connect();
});
beforeEach(() => restartWith({}));
afterAll(async () => {
  await database.end();
  await api.stop();
});

/** Changes the settings of the edge, like an operator who restarts the service. */
function restartWith(changes: Partial<EdgeTargets>): void {
  api.deps.edge = { ...EDGE, ipv6: [], ...changes };
}
const sandbox = () => ({ db: api.deps.pool, edge: api.deps.edge, detection: createDetection([]) });
const client = () => api.client(tenant.test.key);
const at = (id: string) => ({ params: { path: { id } } });

const connect = async (hostname = someName('test'), { test } = tenant) =>
  expectData(
    await api.client(test.key).POST('/v1/connections', { body: { application_id: test.application_id, hostname } }),
  );
type Made = Awaited<ReturnType<typeof connect>>;

/** Publishes exactly these addresses at the hostname. */
async function publish({ hostname: host }: Made, addresses: readonly string[], ipv6: readonly string[] = []) {
  const records = [
    ...addresses.map((value) => ({ host, type: 'A' as const, value })),
    ...ipv6.map((value) => ({ host, type: 'AAAA' as const, value })),
  ];
  expectData(await client().PUT('/v1/sandbox/records', { body: { remove: [{ host }], records: [] } }));
  expectData(await client().PUT('/v1/sandbox/records', { body: { records } }));
}
const checkRecords = async ({ id }: Made) =>
  expectData(await client().POST('/v1/connections/{id}/records:check', at(id))).records.map(
    ({ value, propagated, observed_value }) => [value, propagated, observed_value],
  );
const detailOf = async ({ id }: Made) => expectData(await client().GET('/v1/connections/{id}', at(id)));
const statusesOf = async (made: Made) =>
  (await detailOf(made)).records_to_add
    .filter(({ type }) => type !== 'TXT')
    .map(({ value, status }) => `${value} ${status}`);
const findingsOf = async (made: Made) =>
  (await detailOf(made)).findings
    .filter(({ record }) => record !== undefined && record.type !== 'TXT')
    .map(({ code, record }) => `${code} ${record?.value ?? ''}`);
const wantedBy = async (made: Made) => (await detailOf(made)).desired_records.map(({ value }) => value);
const subject = async ({ id }: Made) => subjectOf((await getConnection(api.deps.pool, id))!);

/** Verdict of the worker's check of a live connection, which drifts after several mismatches. */
const verdictWhileLive = async (made: Made) =>
  (await sandboxChecker(sandbox()).records({ ...(await subject(made)), liveAt: 1 }, Date.now() + 1_000, never)).verdict;

test('with `any`, one of two addresses is enough, and the other is shown as optional', async () => {
  const made = await connect();
  expect(await wantedBy(made)).toEqual([ONE, TWO]);

  await publish(made, [TWO]);
  expect(await checkRecords(made)).toEqual([
    [ONE, false, TWO],
    [TWO, true, TWO],
  ]);
  expect(await statusesOf(made)).toEqual([`${ONE} optional`, `${TWO} found`]);
  expect(await findingsOf(made)).toEqual([]);
  expect(await verdictWhileLive(made)).toBe('match');
});

test('the widget and the shared page wait for nothing when a further address is missing', async () => {
  const made = await connect();
  await publish(made, [ONE]);
  await checkRecords(made);
  await database.query(`UPDATE connections SET state = 'propagating' WHERE id = $1`, [made.id]);

  expect(stepOf(ConnectionDetail.parse(await detailOf(made)), { added: false, manual: true, pointed: false })).toBe(
    'in_progress',
  );
  const { url } = expectData(await client().POST('/v1/connections/{id}/share', at(made.id)));
  const page = await (await fetch(url)).text();
  expect(page).toContain('<li class="record optional">');
  expect(page).not.toMatch(/class="record (missing|wrong|conflict)"/);
});

test('an address that is not listed is a finding, alone and next to a listed one', async () => {
  const made = await connect();

  await publish(made, [ONE, UNLISTED]);
  await checkRecords(made);
  expect(await findingsOf(made)).toEqual([`extra_values ${ONE}`]);
  expect(await statusesOf(made)).toEqual([`${ONE} wrong`, `${TWO} optional`]);
  expect(await verdictWhileLive(made)).toBe('mismatch');

  await publish(made, [UNLISTED]);
  await checkRecords(made);
  expect(await findingsOf(made)).toEqual([`wrong_value ${ONE}`, `wrong_value ${TWO}`]);
});

test('with `all`, a missing address is a finding and a drift', async () => {
  restartWith({ policy: 'all' });
  const made = await connect();

  await publish(made, [ONE]);
  await checkRecords(made);
  expect(await findingsOf(made)).toEqual([`missing ${TWO}`]);
  expect(await verdictWhileLive(made)).toBe('mismatch');

  await publish(made, [TWO, ONE]);
  await checkRecords(made);
  expect(await statusesOf(made)).toEqual([`${ONE} found`, `${TWO} found`]);
  expect(await verdictWhileLive(made)).toBe('match');
});

test('a connection from before an address was added or removed follows the present list', async () => {
  restartWith({ ipv4: [ONE] });
  const made = await connect();
  await publish(made, [TWO]);
  expect([await wantedBy(made), await verdictWhileLive(made)]).toEqual([[ONE], 'mismatch']);

  restartWith({ ipv4: [ONE, TWO] });
  expect([await wantedBy(made), await verdictWhileLive(made)]).toEqual([[ONE, TWO], 'match']);

  restartWith({ ipv4: [TWO] });
  expect([await wantedBy(made), await verdictWhileLive(made)]).toEqual([[TWO], 'match']);
  await publish(made, [ONE]);
  await checkRecords(made);
  expect(await findingsOf(made)).toEqual([`wrong_value ${TWO}`]);
});

test('a connection from before the release follows the list too, unless its template has a value of its own', async () => {
  const made = await connect();
  const stored = (value: string) => JSON.stringify([{ host: made.hostname, type: 'A', value, ttl: 300, priority: null }]); // prettier-ignore
  const save = (id: string, value: string) => database.query('UPDATE connections SET desired_records = $2 WHERE id = $1', [id, stored(value)]); // prettier-ignore
  const other = await api.tenant();
  const template = [
    { host: '@', type: 'A', value: '{edge_ipv4}' },
    { host: '@', type: 'A', value: UNLISTED },
  ];
  await database.query('UPDATE applications SET record_template = $2 WHERE id = $1', [
    other.test.application_id,
    JSON.stringify(template),
  ]);
  const literal = await connect(someName('test'), other);
  await save(made.id, '192.0.2.77');
  await save(literal.id, UNLISTED);

  await database.query(await readFile('migrations/0047_edge_addresses.sql', 'utf8'));

  const kept = async (id: string) =>
    (await database.query<{ desired_records: object[] }>('SELECT desired_records FROM connections WHERE id = $1', [id])).rows[0]?.desired_records; // prettier-ignore
  expect(await kept(made.id)).toMatchObject([{ value: '192.0.2.77', edge: true }]);
  expect(await kept(literal.id)).toEqual([expect.not.objectContaining({ edge: true })]);
  expect(await wantedBy(made)).toEqual([ONE, TWO]);
});

test('the doctor lets a CA try the IPv6 addresses of the edge, and no others', async () => {
  const made = await connect();
  restartWith({ ipv6: EDGE.ipv6 });
  const doctor = createDoctor(
    (about, now) => sandboxObserver(sandbox(), about, now),
    { identities: ['letsencrypt.org'] },
    api.deps.edge,
  );
  const codes = async () =>
    (await doctor.examine(await subject(made), Date.now() + 1_000, never)).map(({ code }) => code);

  await publish(made, [ONE], ['2001:db8::10']);
  expect(await codes()).toEqual([]);
  await publish(made, [ONE], ['2001:db8::99']);
  expect(await codes()).toEqual(['stale_aaaa']);
});
