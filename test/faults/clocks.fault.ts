import { globSync } from 'node:fs';
import { send } from '../support/http.ts';
import { Lab } from '../support/fixtures/workflow-lab.ts';
import { startTestApi, someName } from '../support/fixtures/api.ts';
import { FAKETIME_LIBRARY } from '../runner/system-files.ts';
import { until } from '../support/until.ts';
import { asks } from './invariants.ts';
import { saw } from './report.ts';
import { newName, inLab, type Actor, type FaultLab } from './fault-lab.ts';

const [library = ''] = globSync(FAKETIME_LIBRARY);
/** Shifts the wall clock of a process by this many seconds. The monotonic clock cannot be set and stays. */
const clock = (seconds: number): NodeJS.ProcessEnv => ({
  LD_PRELOAD: library,
  FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
});
const MINUTE = 60;

test('row 13: with clocks ten minutes off, processes issue and check tokens within the documented windows, and leases are respected', async () => {
  expect(library).not.toBe('');
  await inLab({ row: 13, apis: 1, workers: 0 }, async (lab) => {
    const offs = [10, -10, 61].map((minutes) => minutes * MINUTE);
    for (const off of offs) lab.apis.push(await lab.actor(lab.startApi, clock(off)));
    lab.workers.push(await lab.actor(lab.startWorker, clock(10 * MINUTE)));
    const dates = await Promise.all(
      lab.apis.map(async ({ process }) => {
        const answer = await send('GET', `http://127.0.0.1:${process.port}/healthz`);
        return Math.round((Date.parse(answer.headers.get('date') ?? '') - Date.now()) / 60_000);
      }),
    );
    expect(dates.map(String)).toEqual(['0', '10', '-10', '61']); // otherwise libfaketime had no effect

    expect(await tokensAccepted(lab)).toEqual([
      // checked by the correct clock, ten minutes ahead, ten behind, an hour ahead
      [200, 200, 200, 401],
      [200, 200, 200, 200],
      [200, 200, 200, 401],
      [200, 200, 200, 200],
    ]);

    const name = newName();
    const id = await lab.user().connect(name);
    await lab.untilLive([name]);
    await until(() => lab.receiver.received.length >= 4);
    // The signing clock is ten minutes off, so every receiver that enforces the documented window rejects it.
    expect(lab.receiver.received.map(({ isGenuine }) => isGenuine)).toEqual([false, false, false, false]);
    for (const { process } of lab.apis) await until(() => asks(process.port, name));
    expect((await lab.user(1).call('DELETE', `/connections/${id}`)).status).toBe(200);
    for (const { process } of lab.apis) expect(await asks(process.port, name)).toBe(false);

    const [worker] = lab.workers as [Actor];
    for (const [off, genuine] of [
      [-10 * MINUTE, false],
      [0, true],
    ] as const) {
      await worker.process.stop('SIGKILL');
      worker.env = { ...worker.env, ...clock(off) };
      await lab.revive(worker);
      const before = lab.receiver.received.length;
      const next = newName();
      await lab.user(2).connect(next);
      await lab.untilLive([next]);
      await until(() => lab.receiver.received.length >= before + 4);
      expect(new Set(lab.receiver.received.slice(before).map(({ isGenuine }) => isGenuine))).toEqual(
        new Set([genuine]),
      );
    }
    return 'APIs at 0, +10, −10, +61 min: 16 tokens as documented; 3 names live by workers at +10, −10, 0 min; no ask allowed after DELETE';
  });
}, 240_000);

/** Returns, for each API that mints a token, the status that each API answers to that token. */
async function tokensAccepted(lab: FaultLab): Promise<number[][]> {
  const ports = lab.apis.map(({ process }) => process.port);
  const { application_id, key } = lab.tenant.test;
  return Promise.all(
    ports.map(async (minting) => {
      const minted = await send('POST', `http://127.0.0.1:${minting}/v1/tokens`, {
        credential: key,
        body: { application_id },
      });
      const credential = (minted.body as { auth_token: string }).auth_token;
      lab.secrets.add(credential);
      const check = { credential, body: { domain: 'shop.auto.test' } };
      return Promise.all(
        ports.map(
          async (judging) => (await send('POST', `http://127.0.0.1:${judging}/v1/domains:check`, check)).status,
        ),
      );
    }),
  );
}

const MOMENTS = [
  '2027-03-28T00:59:59.999Z', // Berlin's clocks go forward a millisecond later
  '2027-03-28T01:00:00.000Z',
  '2027-10-31T00:30:00.000Z', // half past two, for the first and the second time
  '2027-10-31T01:30:00.000Z',
  '2016-12-31T23:59:59.999Z', // a leap second follows, which POSIX time cannot represent
  '2017-01-01T00:00:00.000Z',
  '2038-01-19T03:14:07.000Z', // the last second of a signed 32-bit time
  '2038-01-19T03:14:08.000Z',
  '2106-02-07T06:28:16.000Z',
  '2028-02-29T12:00:00.000Z',
];

test('row 14: every time is returned exactly, in any time zone of the machine, and timers fire after 2038', async () => {
  const zone = process.env['TZ'];
  process.env['TZ'] = 'Europe/Berlin';
  try {
    let now = new Date();
    const api = await startTestApi({ now: () => now });
    const { live } = await api.tenant();
    for (const moment of MOMENTS) {
      now = new Date(moment);
      const made = await api.client(live.key).POST('/v1/connections', {
        body: { application_id: live.application_id, hostname: someName() },
      });
      const read = await api.client(live.key).GET('/v1/connections/{id}', { params: { path: { id: made.data!.id } } });
      expect(read.data?.timeline.map(({ at }) => at)).toEqual([moment]);
    }
    await api.stop();

    const lab = await Lab.open();
    const wait = Date.parse('2038-01-19T03:13:00Z') - (await lab.env.currentTimeMs());
    await lab.env.sleep(wait);
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'live');
    const checksBefore = lab.checks.length;
    for (let i = 0; i < 10 && lab.checks.length < checksBefore + 3; i++) await lab.env.sleep('30m');
    const { live_at, next_check_at } = await lab.row(row.id);
    expect(live_at?.toISOString()).toMatch(/^2038-01-19T03:1/);
    expect(next_check_at?.getTime()).toBeGreaterThan(Date.parse('2038-01-19T03:14:08Z'));
    expect(lab.checks.length).toBeGreaterThanOrEqual(checksBefore + 3);
    saw(
      14,
      `${MOMENTS.length} times returned to the millisecond in Europe/Berlin; ${lab.checks.length - checksBefore} checks after 2038-01-19T03:14:07Z`,
    );
    await lab.close();
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
}, 240_000);
