import type { ServerResponse } from 'node:http';
import { recordEvents } from '../../src/db/webhook/events.ts';
import { attemptsOf } from '../../src/db/webhook/deliveries.ts';
import { updateEndpoint } from '../../src/db/webhook/endpoints.ts';
import { recoverEndpoint } from '../../src/db/webhook/replays.ts';
import { relaying } from '../support/fixtures/relaying.ts';
import { until } from '../support/until.ts';
import { WebhookLab } from '../support/fixtures/webhook-lab.ts';

/** Covers days of failures, on a server that can skip time. */
let lab: WebhookLab;
beforeAll(async () => {
  lab = await WebhookLab.open('time-skipping');
});
afterAll(() => lab.close());

const HOUR = 3_600_000;
const temporalNow = () => lab.lab.env.currentTimeMs();

test('ten attempts over three days end a delivery, five days of failures disable the endpoint, and recovery resends every missed event', async () => {
  const { endpoint, receiver, tenant } = await lab.endpoint({ events: ['domain.drift'] });
  receiver.answer = (response: ServerResponse) => response.writeHead(503).end();
  const row = await lab.lab.create(undefined, tenant);
  const since = new Date();
  const recordDrift = async () => {
    const now = new Date(await temporalNow());
    await lab.lab.pool.transaction((tx) => recordEvents(tx, [row], 'domain.drift', { now }));
  };
  await relaying(lab.lab, 'deliveries', async () => {
    await recordDrift();
    await until(() => receiver.received.length === 1);
    const [first = ''] = await lab.deliveriesTo(endpoint.id);
    const began = await temporalNow();
    for (let i = 0; i < 60 && (await lab.delivery(first)).status === 'pending'; i++) await lab.lab.env.sleep('4 hours');
    expect(await lab.delivery(first)).toMatchObject({ status: 'failed', reason: 'attempts_exhausted', attempts: 10 });
    expect(await attemptsOf(lab.lab.pool, first)).toHaveLength(10);
    expect((await temporalNow()) - began).toBeGreaterThan(70 * HOUR);
    expect((await lab.row(endpoint.id)).active).toBe(true);

    await recordDrift();
    for (let i = 0; i < 60 && (await lab.row(endpoint.id)).active; i++) await lab.lab.env.sleep('4 hours');
    expect(await lab.row(endpoint.id)).toMatchObject({ active: false, disabled_reason: 'failing' });
    await recordDrift(); // no endpoint is active
    expect(await lab.deliveriesTo(endpoint.id)).toHaveLength(2);

    receiver.answer = (response) => response.writeHead(204).end();
    const again = await updateEndpoint(lab.lab.pool, await lab.row(endpoint.id), { ...endpoint, active: true });
    expect(again).toMatchObject({ disabled_reason: null, failures: 0, failing_since: null });
    const before = receiver.received.length;
    const now = new Date(await temporalNow());
    await lab.lab.pool.transaction((tx) => recoverEndpoint(tx, again, since, now));
    await until(async () => {
      const ids = await lab.deliveriesTo(endpoint.id);
      const rows = await Promise.all(ids.map((id) => lab.delivery(id)));
      return rows.length === 3 && rows.every(({ status }) => status === 'delivered');
    });
    expect(receiver.received.slice(before).map(({ event }) => event.sequence)).toEqual([2, 3, 4]);
    expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
  });
}, 120_000);
