import fc from 'fast-check';
import { recordApplicationEvent } from '../../src/db/events.ts';
import { createMetrics } from '../../src/metrics.ts';
import { startRelay } from '../../src/temporal/relay.ts';
import { DELIVERY_KINDS } from '../../src/temporal/workflow-kinds.ts';
import { log } from '../support/lab.ts';
import { until } from '../support/until.ts';
import { WebhookLab } from '../support/webhook-lab.ts';

const EVENTS = 10_000;

test(`${EVENTS} events with unicode in their bodies arrive, each with a signature that holds over the bytes as they came`, async () => {
  const lab = await WebhookLab.open('dev-server');
  const { pool, temporal, databaseUrl } = lab.lab;
  const { receiver, tenant } = await lab.endpoint({ events: ['batch.completed'] });
  const relay = startRelay({ pool, databaseUrl, temporal, log, metrics: createMetrics(), kinds: DELIVERY_KINDS, batch: 50, gatherMs: 50 }); // prettier-ignore
  const owner = {
    tenant_id: tenant.tenant_id,
    application_id: tenant.test.application_id,
    environment: 'test',
  } as const;
  const texts = fc.sample(fc.string({ unit: 'grapheme', maxLength: 40 }), EVENTS);
  for (let from = 0; from < EVENTS; from += 500)
    await pool.transaction(async (tx) => {
      for (const text of texts.slice(from, from + 500))
        await recordApplicationEvent(tx, owner, 'batch.completed', { now: new Date(), data: { batch: { text } } });
    });
  await until(() => receiver.received.length >= EVENTS, 100_000).finally(async () => {
    await relay.stop();
  });
  expect(receiver.received.filter(({ isGenuine }) => !isGenuine)).toEqual([]);
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(EVENTS);
  const arrived = receiver.received.map(({ event }) => (event.data as { batch: { text: string } }).batch.text);
  expect(arrived.toSorted()).toEqual(texts.toSorted());
  await lab.close();
}, 150_000);
