import { randomUUID } from 'node:crypto';
import { median } from '../../bench/support/median.ts';
import { startTestApi, someName, type TestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';
import { makeEndpoint } from '../support/fixtures/make-endpoint.ts';
import { tries } from '../support/tries.ts';
import { saw } from './report.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;

/**
 * Difference between medians that a caller cannot exploit: a tenth of a few milliseconds is below a network's jitter.
 */
const NOISE = 0.1;

/**
 * Returns the median time of each request. Every round sends all requests in random order, so that other load on the
 * machine affects them equally. A missing object is requested twice: the difference of these two is the measurement
 * noise.
 */
async function timesOf(rounds: number, questions: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const times = questions.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const which of shuffled([...questions.keys()])) {
      const began = performance.now();
      await questions[which]!();
      times[which]!.push(performance.now() - began);
    }
  return times.map((all) => median(all));
}

const shuffled = (items: readonly number[]): number[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

test('row 32: the time of an answer does not reveal whether an object belongs to another tenant or does not exist', async () => {
  const [owner, stranger] = [await api.tenant(), await api.tenant()];
  const { application_id, key } = owner.live;
  const made = await send('POST', `${api.baseUrl}/v1/connections`, {
    credential: key,
    body: { application_id, hostname: someName() },
  });
  const connectionId = String((made.body as { id: unknown }).id);
  const { endpointId, deliveryId } = await makeEndpoint(api.deps, owner);
  const routes: [method: string, pathOf: (id: string) => string, foreign: string][] = [
    ['GET', (id) => `/connections/${id}`, connectionId],
    ['DELETE', (id) => `/connections/${id}`, connectionId],
    ['POST', (id) => `/connections/${id}/verify`, connectionId],
    ['GET', (id) => `/webhook-endpoints/${id}`, endpointId],
    ['DELETE', (id) => `/webhook-endpoints/${id}`, endpointId],
    ['GET', (id) => `/deliveries/${id}`, deliveryId],
  ];
  const apart: string[] = [];
  for (const [method, pathOf, foreign] of routes) {
    const ask = (idOf: () => string) => async () => {
      const { status } = await send(method, `${api.baseUrl}/v1${pathOf(idOf())}`, { credential: stranger.live.key });
      expect(status).toBe(404);
    };
    // Its owner can read it, which shows that the path is right.
    if (method === 'GET')
      expect((await send(method, `${api.baseUrl}/v1${pathOf(foreign)}`, { credential: key })).status).toBe(200);
    const questions = [ask(() => foreign), ask(randomUUID), ask(randomUUID)];
    await timesOf(30, questions);
    // A real difference shows in every series; a burst of other work does not.
    let differs = true;
    for (let series = 0; differs && series < 3; series++) {
      const [theirs, absent, absentToo] = (await timesOf(tries(300, 100), questions)) as [number, number, number];
      const [difference, noise] = [theirs / absent - 1, absentToo / absent - 1];
      saw(32, `${method} ${pathOf('…')} ${percent(difference)} (absent twice: ${percent(noise)})`);
      differs = Math.abs(difference) > NOISE + Math.abs(noise);
    }
    if (differs) apart.push(`${method} ${pathOf('…')}`);
  }
  expect(apart).toEqual([]);
}, 300_000);
