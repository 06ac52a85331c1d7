import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { touchSignal, webhookDeliveryWorkflowId } from '../../workflows/messages.ts';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { recordEvents } from '../../src/db/webhook/events.ts';
import { lockDelivery } from '../../src/db/webhook/deliveries.ts';
import { replayDelivery } from '../../src/db/webhook/replays.ts';
import globalSetup from '../runner/global-setup.ts';
import { tearDown } from '../runner/global-teardown.ts';
import { Lab } from '../support/fixtures/workflow-lab.ts';
import { until } from '../support/until.ts';
import { WebhookLab } from '../support/fixtures/webhook-lab.ts';

/**
 * Records the histories against which replay.test.ts checks new workflow code. Run it after a release that changed a
 * workflow, and commit the new files next to the existing ones. Keep old histories: their runs may still be open.
 *
 * Usage: `node test/workflows/record-histories.ts <label> [story …]`
 */
const [label = 'v1', ...names] = process.argv.slice(2);

/** One story for each phase, stopped midway, because a deployment meets runs midway. */
const STORIES: Record<string, (lab: Lab) => Promise<ConnectionRow>> = {
  async ownership(lab) {
    lab.scenario.challenge = () => 'mismatch';
    const row = await lab.createAndStart();
    await lab.untilCheckOf('challenge', 1);
    await lab.env.sleep('2 days');
    await lab.handle(row).signal(touchSignal);
    await lab.env.sleep('1 minute');
    return row;
  },
  async writing(lab) {
    lab.scenario.records = () => 'mismatch';
    const row = await lab.create();
    await lab.force(row.id, 'dns_writing');
    await lab.start(row);
    await lab.untilState(row.id, 'propagating');
    return row;
  },
  async propagation(lab) {
    lab.scenario.records = () => 'mismatch';
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'propagating');
    await lab.skipUntil(row.id, 'stalled', '30 minutes', 6);
    return row;
  },
  async certificate(lab) {
    lab.scenario.certificate = () => ({
      outcome: 'blocked',
      errorCode: 'caa_blocked',
      sentence: 'CAA.',
      findings: [],
      retryAfterMs: 60_000,
    });
    const row = await lab.createAndStart();
    await lab.untilRow(row.id, ({ error_code }) => error_code === 'caa_blocked');
    await lab.env.sleep('1 hour');
    return row;
  },
  async monitoring(lab) {
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'live');
    await lab.env.sleep('3 days');
    lab.scenario.records = () => 'mismatch';
    await lab.skipUntil(row.id, 'drifted', '20 minutes', 8);
    lab.scenario.records = () => 'match';
    await lab.skipUntil(row.id, 'live', '30 minutes', 8);
    return row;
  },
  async sandbox(lab) {
    lab.scenario.records = () => 'mismatch';
    const row = await lab.create(`${crypto.randomUUID()}.auto.test`);
    await lab.start(row);
    await lab.untilState(row.id, 'propagating');
    lab.scenario.records = () => 'match';
    await lab.skipUntil(row.id, 'live', '1 minute', 10);
    await lab.env.sleep('1 minute');
    return row;
  },
  async failure(lab) {
    lab.scenario.challenge = () => 'mismatch';
    const row = await lab.createAndStart();
    await lab.untilCheckOf('challenge', 1);
    await lab.skipUntil(row.id, 'failed', '1 day', 20);
    await lab.verify(row);
    return row;
  },
  async archive(lab) {
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'live');
    await lab.archive(row.id);
    await lab.relay();
    await lab.handle(row).result();
    return row;
  },
};

/** Deliveries in real time: one fails, is replayed and arrives, and two share a run. */
const DELIVERY_STORIES: Record<string, (lab: WebhookLab) => Promise<string>> = {
  async 'webhook-delivery'(lab) {
    const { endpoint, receiver, tenant } = await lab.endpoint({ events: ['domain.drift'] });
    receiver.answer = (response) => response.writeHead(receiver.received.length < 4 ? 500 : 204).end();
    await recordDrift(lab, await lab.lab.create(undefined, tenant));
    await lab.lab.relay();
    const [id = ''] = await lab.deliveriesTo(endpoint.id);
    await until(async () => (await lab.delivery(id)).attempts === 2);
    await lab.lab.pool.transaction(async (tx) => replayDelivery(tx, (await lockDelivery(tx, id))!, new Date()));
    await lab.lab.relay();
    await until(async () => (await lab.delivery(id)).status === 'delivered');
    return webhookDeliveryWorkflowId(await lab.delivery(id));
  },
  async 'webhook-batch'(lab) {
    const { receiver, tenant } = await lab.endpoint({ events: ['domain.drift'] });
    receiver.answer = (response, { headers }) => response.writeHead(headers['x-svc-attempt'] === '1' ? 500 : 204).end();
    for (let i = 0; i < 2; i++) await recordDrift(lab, await lab.lab.create(undefined, tenant));
    await lab.lab.relay();
    const { workflow } = lab.lab.temporal.client;
    const query = 'WorkflowType = "webhookBatch" AND ExecutionStatus = "Completed"';
    await until(async () => (await workflow.count(query)).count > 0);
    for await (const { workflowId } of workflow.list({ query })) return workflowId;
    throw new Error('No run was shared.');
  },
};

const recordDrift = (lab: WebhookLab, row: ConnectionRow) =>
  lab.lab.pool.transaction((tx) => recordEvents(tx, [row], 'domain.drift', { now: new Date() }));

async function keep(name: string, handle: WorkflowHandle): Promise<void> {
  const history = historyToJSON(await handle.fetchHistory());
  await writeFile(join(import.meta.dirname, 'histories', `${label}-${name}.json`), `${history}\n`);
  process.stdout.write(`recorded ${label}-${name}\n`);
}

const isWanted = ([name]: [string, unknown]) => names.length === 0 || names.includes(name);

await globalSetup();
try {
  for (const [name, story] of Object.entries(STORIES).filter(isWanted)) {
    const lab = await Lab.open();
    await keep(name, lab.handle(await story(lab)));
    await lab.close();
  }
  for (const [name, story] of Object.entries(DELIVERY_STORIES).filter(isWanted)) {
    const lab = await WebhookLab.open('dev-server');
    await keep(name, lab.lab.temporal.client.workflow.getHandle(await story(lab)));
    await lab.close();
  }
} finally {
  await tearDown();
}
