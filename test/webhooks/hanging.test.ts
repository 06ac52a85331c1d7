import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { lockDelivery } from '../../src/db/webhook/deliveries.ts';
import { recordEvents } from '../../src/db/webhook/events.ts';
import { replayDelivery } from '../../src/db/webhook/replays.ts';
import { sql } from '../../src/db/pool.ts';
import { createMetrics } from '../../src/metrics.ts';
import { startRelay } from '../../src/temporal/relay.ts';
import { deliveryKinds } from '../../src/temporal/workflow-kinds.ts';
import { log } from '../support/fixtures/workflow-lab.ts';
import { until } from '../support/until.ts';
import { WebhookLab } from '../support/fixtures/webhook-lab.ts';

const EVENTS = 120;
/** Attempts of one worker at one receiver at the same time. */
const TOGETHER = 10;

let lab: WebhookLab;
let relay: { stop(): Promise<void> } | undefined;
beforeAll(async () => {
  lab = await WebhookLab.open('dev-server');
});
afterAll(async () => {
  await relay?.stop();
  await lab.close();
});

test('deliveries to a receiver that hangs wait in the database without a workflow each, and arrive once it answers', async () => {
  const { pool, temporal, databaseUrl } = lab.lab;
  const { receiver, tenant, endpoint } = await lab.endpoint({ events: ['domain.drift'] });
  const { answer } = receiver;
  const unanswered: ServerResponse[] = [];
  receiver.answer = (response) => void unanswered.push(response);
  const metrics = createMetrics();
  const kinds = deliveryKinds((endpointId) => lab.access.endpointSemaphores.hangs(endpointId));
  relay = startRelay({ pool, databaseUrl, temporal, log, metrics, kinds, batch: 200, gatherMs: 50 });
  const rows = await Promise.all(Array.from({ length: EVENTS }, () => lab.lab.create(undefined, tenant)));
  const record = () => pool.transaction((tx) => recordEvents(tx, rows, 'domain.drift', { now: new Date() }));
  const runs = async () => (await temporal.client.workflow.count()).count;
  await record();

  const waiting = () =>
    pool.any(sql.type(z.object({ id: z.uuid(), is_late: z.boolean(), is_postponed: z.boolean() }))`
      SELECT aggregate_id AS id, created_at < now() - interval '1 second' AS is_late,
        next_attempt_at > now() + interval '1 second' AS is_postponed
      FROM outbox
      WHERE kind = 'start' AND aggregate_kind = 'delivery'
    `);
  await until(async () => (await waiting()).length === EVENTS - TOGETHER);
  expect(receiver.received).toHaveLength(TOGETHER);
  const { count } = await temporal.client.workflow.count(`WorkflowType = 'webhookDelivery'`);
  expect(count).toBe(0);
  // While the receiver hangs, further deliveries start no run at all.
  const before = await runs();
  await record();
  await until(
    async () => (await waiting()).filter(({ is_postponed }) => is_postponed).length === 2 * EVENTS - TOGETHER,
  );
  expect(await runs()).toBe(before);
  // A message that waits for its time is no message that could not be sent.
  expect((await waiting()).filter(({ is_late }) => is_late)).toEqual([]);

  receiver.answer = answer;
  for (const response of unanswered) response.writeHead(204).end();
  const [replayed] = await waiting();
  await pool.transaction(async (tx) => replayDelivery(tx, (await lockDelivery(tx, replayed!.id))!, new Date()));
  const arrived = () => new Set(receiver.received.map(({ headers }) => headers['x-svc-delivery-id']));
  await until(() => arrived().has(replayed!.id)); // a replay does not wait for the others

  await until(() => arrived().size === 2 * EVENTS, 60_000);
  const delivered = await lab.deliveriesTo(endpoint.id);
  expect(delivered.filter((id) => !arrived().has(id))).toEqual([]);
}, 120_000);
