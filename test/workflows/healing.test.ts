import { reconcile } from '../../src/temporal/reconcile.ts';
import { none, sql } from '../../src/db/pool.ts';
import { connectionWorkflowId } from '../../workflows/messages.ts';
import { Lab, log } from '../support/lab.ts';

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
    lab.pool.query(sql.type(none)`UPDATE connections SET next_check_at = now() - interval '1 hour' WHERE id = ${id}`);
  const forgetOutbox = () => lab.pool.query(sql.type(none)`DELETE FROM outbox`);
  const isRunning = async (row: { id: string; hostname: string }) =>
    (await lab.env.client.workflow.getHandle(connectionWorkflowId(row)).describe()).status.name === 'RUNNING';

  test('a connection whose run was lost is found once its look is overdue, and goes on', async () => {
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'live');
    await forgetOutbox();
    await lab.handle(row).terminate('lost');
    expect(await heal(false)).toEqual({ asked: 0, restarted: 0 });
    await makeOverdue(row.id);
    expect(await heal(false)).toEqual({ asked: 1, restarted: 1 });
    expect(await isRunning(row)).toBe(true);
  });

  test('a connection whose run lives is asked about and left alone', async () => {
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'live');
    await lab.untilLook('records', 2);
    await forgetOutbox();
    await makeOverdue(row.id);
    expect(await heal(false)).toEqual({ asked: 1, restarted: 0 });
  });

  test('a Temporal that lost everything is filled again from Postgres, archives that were not finished included', async () => {
    lab.world.challenge = () => 'mismatch';
    const waiting = await lab.create();
    const resting = await lab.create();
    const done = await lab.create();
    await lab.force(resting.id, 'failed');
    await lab.archive(done.id);
    await forgetOutbox(); // as after a start that Temporal took and then forgot
    expect(await heal(true)).toEqual({ asked: 2, restarted: 2 });
    await lab.untilLook('challenge', 1);
    expect(await isRunning(waiting)).toBe(true);
    await lab.untilRow(done.id, ({ cleanup }) => cleanup === 'done');
    await expect(isRunning(resting)).rejects.toThrow(/not found/i);
  });
});
