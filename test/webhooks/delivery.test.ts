import { recordApplicationEvent } from '../../src/db/events.ts';
import { relaying } from '../support/relaying.ts';
import { until } from '../support/until.ts';
import { WebhookLab } from '../support/webhook-lab.ts';

let lab: WebhookLab;
beforeAll(async () => {
  lab = await WebhookLab.open('dev-server');
});
afterAll(() => lab.close());

test('a connection that goes live tells its endpoint in the order of the sequence, with signatures that hold', async () => {
  const { endpoint, receiver } = await lab.endpoint();
  const row = await lab.lab.create();
  await relaying(lab.lab, async () => {
    await until(async () => (await lab.lab.row(row.id)).state === 'live');
    await until(() => receiver.received.length === 4);
  });
  expect(receiver.types).toEqual(['domain.added', 'domain.verified', 'ssl.issued', 'domain.flow.completed']);
  expect(receiver.received.map(({ event }) => event.sequence)).toEqual([1, 2, 3, 4]);
  expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
  const ids = await lab.deliveriesTo(endpoint.id);
  for (const id of ids) expect(await lab.delivery(id)).toMatchObject({ status: 'delivered', attempts: 1 });
});

test('kinds beyond the contract go only to endpoints that name them, and one without a connection has no sequence', async () => {
  const [usual, named] = [await lab.endpoint(), await lab.endpoint({ events: ['batch.completed'] })];
  const { tenant_id, test: side } = lab.lab.tenant;
  const owner = { tenant_id, application_id: side.application_id, environment: 'test' } as const;
  await lab.lab.pool.transaction((tx) =>
    recordApplicationEvent(tx, owner, 'batch.completed', { now: new Date(), data: { batch: { total: 2 } } }),
  );
  await relaying(lab.lab, () => until(() => named.receiver.received.length === 1));
  expect(named.receiver.received[0]!.event).toMatchObject({ sequence: null, data: { batch: { total: 2 } } });
  expect(usual.receiver.received).toEqual([]);
});
