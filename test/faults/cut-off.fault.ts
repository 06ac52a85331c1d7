import { setTimeout as pause } from 'node:timers/promises';
import { send } from '../support/http.ts';
import { tries } from '../support/tries.ts';
import { until } from '../support/until.ts';
import { asks } from './invariants.ts';
import { saw } from './report.ts';
import { newName, shareLab, WHOLE_STORY, type FaultLab } from './fault-lab.ts';

const shared = shareLab([8, 9, 10, 11]);
let lab: FaultLab;
beforeEach(() => {
  lab = shared();
});

const [CUT, WHOLE] = [0, 1];
const portOf = (api: number): number => lab.apis[api]!.process.port;
const healthOf = async (api: number): Promise<number> => (await send('GET', `http://127.0.0.1:${portOf(api)}/healthz`)).status; // prettier-ignore

async function liveNames(count: number): Promise<{ hostname: string; id: string }[]> {
  const names = Array.from({ length: count }, () => newName());
  const ids = await Promise.all(names.map((name) => lab.user(WHOLE).connect(name)));
  await lab.untilLive(names);
  return names.map((hostname, i) => ({ hostname, id: ids[i]! }));
}

test('row 8: an API cut off from Postgres for a minute allows no archived hostname, reports itself unhealthy, and recovers in seconds', async () => {
  const names = await liveNames(6);
  await until(async () => (await Promise.all(names.map(({ hostname }) => asks(portOf(CUT), hostname)))).every(Boolean));
  const { database } = lab.apis[CUT]!;
  database.freeze();
  const ends = performance.now() + tries(60, 8) * 1_000;
  let asked = 0;
  const stale: string[] = [];
  const archived: string[] = [];
  const health = until(async () => (await healthOf(CUT)) === 503);
  for (let i = 0; performance.now() < ends; i++) {
    const leaving = names[i];
    if (leaving !== undefined) {
      expect((await lab.user(WHOLE).call('DELETE', `/connections/${leaving.id}`)).status).toBe(200);
      archived.push(leaving.hostname);
    }
    const allowed = await Promise.all(archived.map((hostname) => asks(portOf(CUT), hostname)));
    asked += allowed.length;
    stale.push(...archived.filter((_, at) => allowed[at]));
    await pause(100);
  }
  await health;
  database.thaw();
  const back = performance.now();
  await until(async () => (await healthOf(CUT)) === 200);
  const fresh = newName();
  await until(async () => (await lab.user(CUT).call('GET', '/connections')).status === 200);
  await lab.user(CUT).connect(fresh);
  const recovered = performance.now() - back;
  await lab.untilLive([fresh]);
  await until(() => asks(portOf(CUT), fresh));
  saw(
    8,
    `${asked} asks about archived names, ${stale.length} allowed; healthz 503; back in ${(recovered / 1_000).toFixed(1)} s`,
  );
  expect(stale).toEqual([]);
  expect(recovered).toBeLessThanOrEqual(5_000);
}, 180_000);

test('row 9: an API whose LISTEN connection hangs half open stops trusting its copy and asks Postgres', async () => {
  const lapses: number[] = [];
  for (const { hostname, id } of await liveNames(tries(5, 1))) {
    await until(() => asks(portOf(CUT), hostname));
    expect(lab.apis[CUT]!.database.freezeListeners()).toBeGreaterThan(0);
    const began = performance.now();
    expect((await lab.user(WHOLE).call('DELETE', `/connections/${id}`)).status).toBe(200);
    // DELETE waits for the lease that is not acknowledged, so the other process must know once DELETE has returned.
    expect(await asks(portOf(CUT), hostname)).toBe(false);
    lapses.push(performance.now() - began);
    await until(async () => (await trusted()) === 1);
  }
  saw(
    9,
    `${lapses.length} half-open listeners: DELETE returned and ask denied after ${(Math.max(...lapses) / 1_000).toFixed(1)} s at most`,
  );
  expect(Math.max(...lapses)).toBeLessThanOrEqual(4_000);
}, 120_000);

/** Returns the number of leases that the other APIs hold; the cut-off API gets a new lease once it listens again. */
const trusted = async (): Promise<number> =>
  (await lab.query('SELECT epoch FROM admission_leases WHERE expires_at > clock_timestamp()')).length - 1;

test('row 10: a worker cut off from Temporal makes no move twice, and continues when the connection is back', async () => {
  const [worker] = lab.workers;
  const names = Array.from({ length: 12 }, () => newName());
  for (const [i, name] of names.entries()) {
    await lab.user(WHOLE).connect(name);
    if (i === 5) worker!.temporal.freeze();
  }
  await pause(tries(20, 6) * 1_000);
  const during = await lab.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM connections WHERE hostname = ANY($1) AND state = 'live'`,
    [names],
  );
  worker!.temporal.thaw();
  const took = await lab.untilLive(names, 90_000);
  expect(await lab.stories(names)).toEqual(names.map(() => WHOLE_STORY));
  saw(10, `${during[0]?.n} of 12 live while cut off, all ${(took / 1_000).toFixed(1)} s after; each event once`);
}, 180_000);

test('row 11: with a database half a second away, requests beyond the pool are refused fast, and the process stays responsive', async () => {
  const { database, process } = lab.apis[CUT]!;
  const answers: { status: number; ms: number }[] = [];
  const lags: number[] = [];
  const create = () =>
    lab.user(CUT, 'live').call('POST', '/connections', {
      application_id: lab.tenant.live.application_id,
      hostname: `${crypto.randomUUID()}.example-shop.com`,
    });
  // The connections are open, so the database becomes slow while the process is busy.
  await Promise.all(Array.from({ length: 40 }, create));
  database.delay(500);
  const over = new AbortController();
  // A request that needs no database measures how long the event loop is blocked.
  const probe = (async () => {
    while (!over.signal.aborted) {
      const began = performance.now();
      await send('GET', `http://127.0.0.1:${process.port}/openapi.json`, { headers: { 'if-none-match': '"none"' } });
      lags.push(performance.now() - began);
      await pause(20);
    }
  })();
  await Promise.all(
    Array.from({ length: 200 }, async () => {
      const began = performance.now();
      const { status } = await create();
      answers.push({ status, ms: performance.now() - began });
    }),
  );
  over.abort();
  await probe;
  database.delay(0);
  const p99 = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;
  const refused = answers.filter(({ status }) => status === 503);
  const slowestRefusal = Math.max(...refused.map(({ ms }) => ms));
  saw(11, `${answers.length - refused.length} of 200 made, ${refused.length} refused, the slowest refusal after ${(slowestRefusal / 1_000).toFixed(1)} s; others p99 ${p99(lags).toFixed(0)} ms`); // prettier-ignore
  expect(answers.filter(({ status }) => status !== 503 && status !== 201)).toEqual([]);
  expect(refused.length).toBeGreaterThan(0);
  // The full wait, plus the statement that looked up the key.
  expect(slowestRefusal).toBeLessThan(3_000 + 500 + 500);
}, 120_000);
