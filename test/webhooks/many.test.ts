import fc from 'fast-check';
import { recordEvents } from '../../src/db/webhook/events.ts';
import { createMetrics } from '../../src/metrics.ts';
import { startRelay } from '../../src/temporal/relay.ts';
import { deliveryKinds } from '../../src/temporal/workflow-kinds.ts';
import { log } from '../support/fixtures/workflow-lab.ts';
import { tries, withSeed } from '../support/tries.ts';
import { until } from '../support/until.ts';
import { WebhookLab } from '../support/fixtures/webhook-lab.ts';

const CONNECTIONS = 100;
const EVENTS = tries(50_000, 3_000);

test(
  `${EVENTS} events with unicode bodies arrive, each with a signature that is valid for the received bytes`,
  () => withSeed(sendAll),
  EVENTS * 15,
);

async function sendAll(seed: number): Promise<void> {
  const lab = await WebhookLab.open('dev-server');
  const { pool, temporal, databaseUrl } = lab.lab;
  const { receiver, tenant } = await lab.endpoint({ events: ['domain.drift'] });
  const rows = await Promise.all(Array.from({ length: CONNECTIONS }, () => lab.lab.create(undefined, tenant)));
  const texts = fc.sample(fc.string({ unit: 'grapheme', maxLength: 40 }), { numRuns: EVENTS, seed });
  for (let from = 0; from < EVENTS; from += CONNECTIONS) {
    const recorded = rows.map((row, index) => ({ ...row, external_id: texts[from + index]! }));
    await pool.transaction((tx) => recordEvents(tx, recorded, 'domain.drift', { now: new Date() }));
  }
  const relay = startRelay({ pool, databaseUrl, temporal, log, metrics: createMetrics(), kinds: deliveryKinds(), batch: 50, gatherMs: 50 }); // prettier-ignore
  await until(() => receiver.received.length >= EVENTS, EVENTS * 10).finally(() => relay.stop());

  expect(receiver.received.filter(({ isGenuine }) => !isGenuine)).toEqual([]);
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(EVENTS);
  const arrived = receiver.received.map(({ event }) => (event.data as { connection: { external_id: string } }).connection.external_id); // prettier-ignore
  expect(arrived.toSorted()).toEqual(texts.toSorted());
  await lab.close();
}
