import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { connectionWorkflowId, touchSignal } from '../../workflows/messages.ts';
import { SUPERUSER_URL_VARIABLE } from '../support/database.ts';
import { Service } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { TemporalOnPostgres } from '../support/temporal-on-postgres.ts';
import { until } from '../support/until.ts';

const EVENTS_TO_LIVE = 60;
const WHOLE_STORY = ['domain.added', 'domain.verified', 'ssl.issued', 'domain.flow.completed'];

/** What production has and the test servers lack: the real server, with its history and visibility in Postgres. */
describe('on the Temporal server with Postgres', () => {
  let temporal: TemporalOnPostgres;
  let service: Service;
  let client: Client;

  beforeAll(async () => {
    temporal = await TemporalOnPostgres.start(process.env[SUPERUSER_URL_VARIABLE]!, await tempFolder());
    service = await Service.start(await tempFolder(), { TEMPORAL_ADDRESS: temporal.address });
    client = new Client({ connection: await Connection.connect({ address: temporal.address }) });
  }, 900_000); // building the server takes minutes on a machine that has never done it
  afterAll(async () => {
    await client.connection.close();
    await service.stop();
    await temporal.stop();
  });

  const randomName = () => `${randomUUID().slice(0, 8)}.auto.test`;

  test('a connection started right after the namespace was made goes live, in no more events than elsewhere', async () => {
    const hostname = randomName();
    const id = await service.connect(hostname);
    await service.untilLive(id);
    const run = await client.workflow.getHandle(connectionWorkflowId({ id, hostname })).describe();
    expect(run.historyLength).toBeLessThanOrEqual(EVENTS_TO_LIVE);
    expect(await service.eventTypes(id)).toEqual(WHOLE_STORY);
  });

  test('operators find it by its state, and once it is archived the run ends', async () => {
    const hostname = randomName();
    const id = await service.connect(hostname);
    await service.untilLive(id);
    const found = () => client.workflow.count(`Hostname = '${hostname}' AND ConnectionState = 'live'`);
    await until(async () => (await found()).count === 1);
    expect((await service.call('DELETE', `/connections/${id}`)).body['state']).toBe('archived');
    await client.workflow.getHandle(connectionWorkflowId({ id, hostname })).result();
  });

  test('looks at a healthy connection add nothing to its history', async () => {
    const hostname = randomName();
    const id = await service.connect(hostname);
    await service.untilLive(id);
    const handle = client.workflow.getHandle(connectionWorkflowId({ id, hostname }));
    const watching = async () => (await handle.describe()).raw.pendingActivities?.[0];
    const slow = await watching();
    await handle.signal(touchSignal);
    const looks = async () => {
      const fast = await watching();
      return fast?.activityId === slow?.activityId ? 0 : (fast?.attempt ?? 0);
    };
    await until(async () => (await looks()) >= 2);
    const before = (await handle.describe()).historyLength;
    await until(async () => (await looks()) >= 4);
    expect((await handle.describe()).historyLength).toBe(before);
  });

  test('a server killed with connections under way goes on with each of them, and nothing is told twice', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, () => service.connect(randomName())));
    await pause(300);
    await temporal.kill();
    ids.push(await service.connect(randomName())); // accepted while it is away
    await temporal.launch();
    for (const id of ids) {
      await service.untilLive(id);
      expect(await service.eventTypes(id)).toEqual(WHOLE_STORY);
    }
  }, 180_000);
});
