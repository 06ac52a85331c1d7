import { reconcile } from '../../src/temporal/reconcile.ts';
import { relayBatch } from '../../src/temporal/relay.ts';
import type { WorkflowKind } from '../../src/temporal/workflow-kind.ts';
import { WORKFLOW_KINDS } from '../../src/temporal/workflow-kinds.ts';
import { enqueueMessage } from '../../src/db/outbox.ts';
import { none, sql } from '../../src/db/pool.ts';
import { findUnfinished } from '../../src/db/connection/reconcile.ts';
import { createMetrics } from '../../src/metrics.ts';
import { connectionWorkflowId } from '../../workflows/messages.ts';
import { Lab, log } from '../support/fixtures/workflow-lab.ts';
import { until } from '../support/until.ts';

describe('healing', () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await Lab.open('dev-server');
  });
  afterEach(() => lab.close());

  const heal = async (everything: boolean) => {
    const result = await reconcile({ pool: lab.pool, temporal: lab.temporal, log }, everything);
    await lab.relay();
    return result;
  };
  const makeOverdue = (id: string) =>
    lab.pool.query(sql.type(none)`UPDATE checks SET due_at = now() - interval '1 hour' WHERE connection_id = ${id}`);
  const clearOutbox = () => lab.pool.query(sql.type(none)`DELETE FROM outbox`);
  const isRunning = async (row: { id: string; hostname: string }) =>
    (await lab.env.client.workflow.getHandle(connectionWorkflowId(row)).describe()).status.name === 'RUNNING';

  test('a connection whose run was lost is found once its check is overdue, and continues', async () => {
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'live');
    await clearOutbox();
    await lab.handle(row).terminate('lost');
    expect(await heal(false)).toEqual({ asked: 0, restarted: 0 });
    await makeOverdue(row.id);
    expect(await heal(false)).toEqual({ asked: 1, restarted: 1 });
    expect(await isRunning(row)).toBe(true);
  });

  test('a connection whose run exists is left alone', async () => {
    const row = await lab.createAndStart();
    await lab.untilWatched(row);
    await clearOutbox();
    // The last check may still be saving the time of the next one.
    let healed: Awaited<ReturnType<typeof heal>> | undefined;
    await until(async () => {
      await makeOverdue(row.id);
      healed = await heal(false);
      return healed.asked === 1;
    });
    expect(healed).toEqual({ asked: 1, restarted: 0 });
  });

  test('an empty Temporal is filled again from Postgres, including unfinished archives', async () => {
    lab.scenario.challenge = () => 'mismatch';
    const waiting = await lab.create();
    const resting = await lab.create();
    const done = await lab.create();
    await lab.force(resting.id, 'failed');
    await lab.archive(done.id);
    await clearOutbox(); // as after a start that Temporal accepted and then lost
    expect(await heal(true)).toEqual({ asked: 2, restarted: 2 });
    await lab.untilCheckOf('challenge', 1);
    expect(await isRunning(waiting)).toBe(true);
    await lab.untilRow(done.id, ({ cleanup }) => cleanup === 'done');
    await expect(isRunning(resting)).rejects.toThrow(/not found/i);
  });

  describe('a second kind of workflow is one more entry in the table', () => {
    const workflowIdOf = (id: string) => `delivery/${id}`;
    const delivery: WorkflowKind = {
      aggregate: 'connection',
      runsOf: (_db, ids) =>
        Promise.resolve(
          new Map(
            ids.map((id) => [
              id,
              {
                async send({ client }) {
                  await client.workflow.start('delivery', {
                    workflowId: workflowIdOf(id),
                    taskQueue: 'deliveries',
                    args: [id],
                  });
                },
              },
            ]),
          ),
        ),
      unfinished: () => Promise.resolve([]),
      overdue: async (db, after) =>
        after === null
          ? (await findUnfinished(db, null)).map((one) => ({ ...one, workflowId: workflowIdOf(one.id) }))
          : [],
    };
    const kinds = new Map([...WORKFLOW_KINDS, ['delivery', delivery]]);
    const relay = () => relayBatch({ pool: lab.pool, temporal: lab.temporal, log, metrics: createMetrics(), kinds });
    const queueOf = async (workflowId: string) =>
      (await lab.env.client.workflow.getHandle(workflowId).describe()).taskQueue;

    test('its messages start runs on its own task queue, after older messages about the same aggregate', async () => {
      lab.scenario.challenge = () => 'mismatch';
      const row = await lab.create();
      const aggregate = { kind: 'connection', id: row.id, tenant_id: row.tenant_id } as const;
      await enqueueMessage(lab.pool, { aggregate, workflow: 'delivery', kind: 'start' });
      expect(await relay()).toBe(1);
      expect(await queueOf(connectionWorkflowId(row))).toBe(lab.temporal.taskQueue);
      await expect(queueOf(workflowIdOf(row.id))).rejects.toThrow(/not found/i);
      expect(await relay()).toBe(1);
      expect(await queueOf(workflowIdOf(row.id))).toBe('deliveries');
    });

    test('its messages wait for a relay that supports it', async () => {
      const row = await lab.create();
      await clearOutbox();
      const aggregate = { kind: 'connection', id: row.id, tenant_id: row.tenant_id } as const;
      await enqueueMessage(lab.pool, { aggregate, workflow: 'delivery', kind: 'start' });
      await lab.relay();
      expect(await relay()).toBe(1);
    });

    test('the same reconciler finds and starts its missing runs', async () => {
      const row = await lab.create();
      await clearOutbox();
      const deps = { pool: lab.pool, temporal: lab.temporal, log, kinds: new Map([['delivery', delivery]]) };
      expect(await reconcile(deps)).toEqual({ asked: 1, restarted: 1 });
      expect(await relay()).toBe(1);
      expect(await queueOf(workflowIdOf(row.id))).toBe('deliveries');
      expect(await reconcile(deps)).toEqual({ asked: 1, restarted: 0 });
    });
  });
});
