import { setTimeout as pause } from 'node:timers/promises';
import { STATES, type State } from '../../src/domain/connection/connection.ts';
import { send } from '../support/http.ts';
import { tries } from '../support/tries.ts';
import { until } from '../support/until.ts';
import { asks } from './invariants.ts';
import { saw } from './report.ts';
import { newName, shareLab, WHOLE_STORY, type Actor, type FaultLab } from './fault-lab.ts';

const shared = shareLab([1, 2, 3, 4, 5, 7]);
let lab: FaultLab;
beforeEach(() => {
  lab = shared();
});

async function expectWholeStory(hostnames: readonly string[]): Promise<void> {
  expect(await lab.stories(hostnames)).toEqual(hostnames.map(() => WHOLE_STORY));
}

const kill = (actor: Actor): Promise<unknown> => actor.process.stop('SIGKILL');

const create = (hostname: string, headers: Record<string, string> = {}) =>
  send('POST', `http://127.0.0.1:${lab.apis[0]!.process.port}/v1/connections`, {
    credential: lab.tenant.test.key,
    body: { application_id: lab.tenant.test.application_id, hostname },
    headers,
  });

test('row 1: a worker killed in every state of a connection continues with all of them, and sends no event twice', async () => {
  const [worker] = lab.workers as [Actor];
  const user = lab.user();
  const { application_id } = lab.tenant.test;
  await user.call('POST', `/applications/${application_id}/credentials`, {
    provider: 'sandbox',
    credentials: { zone: 'written.test' },
  });
  const found = new Map<State, number>();
  const goingLive: string[] = [];
  const resumed: number[] = [];
  const loops = tries(50, 4);
  const waiting = await holdInStates();
  for (let loop = 0; loop < loops; loop++) {
    const names = ['auto', 'auto', 'written'].map(newName);
    for (const name of names) await user.connect(name);
    goingLive.push(...names);
    const leaving = await user.connect(newName());
    await pause(Math.random() * 1_500);
    await user.call('DELETE', `/connections/${leaving}`);
    await kill(worker);
    for (const { state, n } of await lab.query<{ state: State; n: number }>(
      'SELECT state, count(*)::integer AS n FROM connections GROUP BY state',
    ))
      found.set(state, (found.get(state) ?? 0) + n);
    await lab.revive(worker);
    if (loop % 10 === 9 || loop === loops - 1) resumed.push(await lab.untilLive(goingLive));
  }
  await expectWholeStory(goingLive);
  const written = await lab.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM sandbox_records WHERE host LIKE '%.written.test' GROUP BY host, type HAVING count(*) > 1`,
  );
  expect(written).toEqual([]);
  await release(waiting);
  const seen = STATES.filter((state) => found.has(state));
  saw(
    1,
    `${loops} kills, ${goingLive.length} live; found ${seen.join(', ')}; resumed after ${seconds(resumed)} at most`,
  );
  // `created` lasts no longer than the inserting transaction. The other short states are hit by chance.
  const passing: State[] = ['created', 'verifying', 'verified', 'dns_writing', 'issuing_cert'];
  expect(STATES.filter((state) => !found.has(state) && !passing.includes(state))).toEqual([]);
  if (loops === 50) expect(Math.max(...resumed)).toBeLessThanOrEqual(15_000);
}, 900_000);

const seconds = (ms: readonly number[]) => `${(Math.max(...ms) / 1_000).toFixed(1)} s`;

/** Brings one connection into each lasting state: their timestamps are set back, and the next check moves them. */
async function holdInStates(): Promise<string[]> {
  const user = lab.user();
  const names = ['hand', 'hand', 'stall', 'stall', 'drift', 'auto'].map(newName);
  const [, failing = '', propagating = '', stalling = '', drifting = '', archived = ''] = names;
  const ids = new Map<string, string>();
  for (const name of names) ids.set(name, await user.connect(name));
  await lab.untilLive([drifting]);
  const is = async (name: string, state: State) => (await lab.stateOf(name)) === state;
  await until(async () => (await is(propagating, 'propagating')) && (await is(stalling, 'propagating')));
  const setBack = (column: string, by: string, name: string) =>
    lab.query(`UPDATE connections SET ${column} = now() - interval '${by}' WHERE hostname = $1`, [name]);
  await setBack('phase_started_at', '2 hours', stalling);
  await setBack('phase_started_at', '15 days', failing);
  await setBack('live_at', '2 minutes', drifting);
  await lab.query('DELETE FROM sandbox_records WHERE host = $1', [drifting]);
  await user.call('DELETE', `/connections/${ids.get(archived)}`);
  await until(async () => (await is(stalling, 'stalled')) && (await is(failing, 'failed')), 60_000);
  await until(() => is(drifting, 'drifted'), 120_000);
  return names.filter((name) => name !== failing && name !== archived).map((name) => ids.get(name) ?? '');
}

/** Archives the held connections, so that later tests find only their own. */
async function release(waiting: readonly string[]): Promise<void> {
  for (const id of waiting) expect((await lab.user().call('DELETE', `/connections/${id}`)).status).toBe(200);
}

test('rows 2 and 3: an API killed between commit and answer created one connection, which the same key finds and the relay starts', async () => {
  const [api] = lab.apis as [Actor];
  const runs: number[] = [];
  for (let i = 0; i < tries(10, 2); i++) {
    const hostname = newName();
    const key = { 'idempotency-key': hostname };
    const died = Promise.withResolvers<number>();
    api.database.atCommitOf('INSERT INTO connections', () => {
      process.kill(api.process.pid, 'SIGKILL');
      died.resolve(performance.now());
    });
    await expect(create(hostname, key)).rejects.toThrow();
    const at = await died.promise;
    const [row] = await lab.query<{ id: string }>('SELECT id FROM connections WHERE hostname = $1', [hostname]);
    await until(async () => (await runsOf(hostname)) === 1, 30_000);
    runs.push(performance.now() - at);
    await api.process.exited;
    await lab.revive(api);
    const again = await create(hostname, key);
    expect([again.status, (again.body as { id: string }).id]).toEqual([201, row?.id]);
    expect(await lab.query('SELECT id FROM connections WHERE hostname = $1', [hostname])).toHaveLength(1);
    await lab.untilLive([hostname]);
    expect(await runsOf(hostname)).toBe(1);
  }
  saw(2, `${runs.length} kills at the commit: the same connection each time`);
  saw(3, `${runs.length} kills: one run each, found ${seconds(runs)} after at most`);
  if (runs.length === 10) expect(Math.max(...runs)).toBeLessThanOrEqual(5_000);
}, 180_000);

const runsOf = async (hostname: string): Promise<number> =>
  (await lab.servers.temporalClient.workflow.count(`Hostname = '${hostname}'`)).count;

/** Creates hostnames at a steady pace until it is stopped, and records the answers. */
function writeSteadily(perSecond: number) {
  const answers: { hostname: string; status: number; text: string }[] = [];
  const under: Promise<void>[] = [];
  const timer = setInterval(() => {
    const hostname = newName();
    under.push(
      create(hostname).then(
        ({ status, text }) => void answers.push({ hostname, status, text }),
        // A connection that broke off was not acknowledged.
        () => void answers.push({ hostname, status: 0, text: '' }),
      ),
    );
  }, 1_000 / perSecond);
  return {
    answers,
    async stop() {
      clearInterval(timer);
      await Promise.all(under);
    },
  };
}

test('row 4: a Postgres killed under fifty writes a second causes refusals with a reference, and loses no acknowledged write', async () => {
  const load = writeSteadily(50);
  await until(() => load.answers.filter(({ status }) => status === 201).length >= 40);
  await lab.servers.killPostgres();
  await until(() => load.answers.some(({ status }) => status === 503), 30_000);
  await lab.servers.startPostgres();
  const back = performance.now();
  const soFar = load.answers.length;
  await until(() => load.answers.slice(soFar).some(({ status }) => status === 201), 60_000);
  const recovered = performance.now() - back;
  await load.stop();

  const statuses = new Set(load.answers.map(({ status }) => status));
  expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([]);
  for (const { text } of load.answers.filter(({ status }) => status === 503)) {
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'unavailable' } });
    expect(text).not.toMatch(/node_modules|\.ts:|stack/);
  }
  const acknowledged = load.answers.filter(({ status }) => status === 201).map(({ hostname }) => hostname);
  const kept = await lab.query('SELECT hostname FROM connections WHERE hostname = ANY($1)', [acknowledged]);
  expect(kept).toHaveLength(acknowledged.length);
  const refused = load.answers.length - acknowledged.length;
  saw(
    4,
    `${acknowledged.length} acknowledged, none missing; ${refused} refused with 503; writing ${seconds([recovered])} after it was back`,
  );
  expect(recovered).toBeLessThanOrEqual(10_000);
  await lab.untilLive(acknowledged, 180_000);
}, 300_000);

test('row 5: while Temporal is down creates are accepted, asks answered and archives final; afterwards everything continues', async () => {
  const user = lab.user();
  const [standing, leaving] = [newName(), newName()];
  const ids = [await user.connect(standing), await user.connect(leaving)];
  await lab.untilLive([standing, leaving]);
  await lab.servers.killTemporal();
  const accepted = Array.from({ length: 20 }, () => newName());
  await Promise.all(accepted.map((name) => user.connect(name)));
  expect(await asks(lab.apis[1]!.process.port, standing)).toBe(true);
  expect((await user.call('DELETE', `/connections/${ids[1]}`)).status).toBe(200);
  for (const { process } of lab.apis) expect(await asks(process.port, leaving)).toBe(false);
  await lab.servers.startTemporal();
  const took = await lab.untilLive(accepted, 120_000);
  await expectWholeStory(accepted);
  saw(5, `20 of 20 creates accepted, all live ${seconds([took])} after Temporal was back`);
}, 240_000);

test('row 7: everything killed together and started in any order converges', async () => {
  const user = lab.user(1);
  for (let round = 0; round < tries(3, 1); round++) {
    const names = Array.from({ length: 10 }, () => newName());
    await Promise.all(names.map((name) => user.connect(name)));
    await pause(Math.random() * 800);
    const halves = [...lab.apis, ...lab.workers];
    await Promise.all([...halves.map(kill), lab.servers.killPostgres(), lab.servers.killTemporal()]);
    // A process that finds no database exits with a message, and its supervisor starts it again.
    const insist = async (actor: Actor): Promise<void> => lab.revive(actor).catch(() => insist(actor));
    const steps = [
      ...halves.map((actor) => () => insist(actor)),
      () => lab.servers.startPostgres(),
      () => lab.servers.startTemporal(),
    ];
    const began: Promise<void>[] = [];
    for (const step of shuffled(steps)) {
      began.push(step());
      await pause(Math.random() * 700);
    }
    await Promise.all(began);
    await lab.untilLive(names, 120_000);
    await expectWholeStory(names);
    saw(7, `round ${round + 1}: 10 of 10 live`);
  }
}, 400_000);

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
