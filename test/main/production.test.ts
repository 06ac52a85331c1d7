import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { createPool } from '../../src/db/pool.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { runTool } from '../../src/embedded/run-tool.ts';
import { connectionWorkflowId, touchSignal } from '../../workflows/messages.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';
import { startEchoOrigin } from '../support/doubles/echo-origin.ts';
import { eventTypes } from '../support/event-types.ts';
import type { HalfProcess } from '../support/fixtures/half-process.ts';
import { startTestAuthority, type TestAuthority } from '../support/certificate-authority.ts';
import { makeImageFolder } from './image.ts';
import { startDeploymentLab, type DeploymentLab } from './deployment-lab.ts';
import { olderNode } from '../support/servers/node-versions.ts';
import { until } from '../support/until.ts';

const EVENTS_TO_LIVE = 60;
/** A lost activity is retried after its timeout, which is half a minute for our own steps. */
const TAKEN_OVER_MS = 90_000;
const WHOLE_STORY = ['domain.added', 'domain.verified', 'ssl.issued', 'domain.flow.completed'];

/**
 * docker-compose.yml as processes from the image's content, in a folder outside any checkout. Each process gets the
 * settings from the file, except for addresses and folders.
 */
describe('in production', () => {
  let image: string;
  let lab: DeploymentLab;
  let apis: HalfProcess[];
  let workers: HalfProcess[];
  let users: ApiUser[];
  let client: Client;
  let authority: TestAuthority;

  beforeAll(async () => {
    image = await makeImageFolder();
    authority = await startTestAuthority();
    lab = await startDeploymentLab(image, { UPLOAD_CA_FILE: authority.rootFile });
    ({ apis, workers } = lab);
    const pool = await createPool(lab.databaseUrl, { max: 1, name: 'test' });
    const tenant = await createTenant(pool, 'Production');
    await pool.end();
    users = apis.map(({ port }) => new ApiUser(`http://127.0.0.1:${port}`, tenant.test));
    client = new Client({ connection: await Connection.connect({ address: lab.temporal.address }) });
    applicationId = tenant.test.application_id;
  }, 900_000); // the first build of the server takes minutes
  afterAll(async () => {
    await client.connection.close();
    await lab.stop();
  });
  let applicationId: string;

  test.each(['main/api', 'main/worker', 'main/edge', 'main/edge-answerer', 'main/start', 'cli/main'])(
    'on an older Node %s exits with one sentence that names the version it needs',
    async (program) => {
      const { ok, output } = await runTool(await olderNode(20), [join(image, 'dist/src', `${program}.js`)]);

      expect(ok).toBe(false);
      expect(output).toMatch(
        /^Node\.js 24 or newer is required, and this is v20\.[\d.]+\. Install it, then start again\.$/,
      );
    },
  );

  const randomName = () => `${randomUUID().slice(0, 8)}.auto.test`;

  async function live(): Promise<{ id: string; hostname: string; workflowId: string }> {
    const hostname = randomName();
    const id = await users[0]!.connect(hostname);
    await users[1]!.untilLive(id);
    return { id, hostname, workflowId: connectionWorkflowId({ id, hostname }) };
  }

  async function expectAllLive(ids: string[]): Promise<void> {
    for (const id of ids) {
      await users[1]!.untilLive(id, TAKEN_OVER_MS);
      expect(await eventTypes(lab.databaseUrl, id)).toEqual(WHOLE_STORY);
    }
  }

  test('the image has no source maps, no bundler and the native code of one platform', async () => {
    const files = await readdir(image, { recursive: true });
    expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
    expect(files.filter((file) => /core-bridge\/releases\/[^/]+$/.test(file))).toHaveLength(1);
    expect(files.filter((file) => /node_modules\/(webpack|@swc\/core|typescript|terser)\/./.test(file)).sort()).toEqual(
      ['node_modules/webpack/index.js', 'node_modules/webpack/package.json'],
    );
  });

  test('a connection started right after the namespace was created goes live, with no more events than usual', async () => {
    const { id, workflowId } = await live();
    const { historyLength } = await client.workflow.getHandle(workflowId).describe();
    expect(historyLength).toBeLessThanOrEqual(EVENTS_TO_LIVE);
    expect(await eventTypes(lab.databaseUrl, id)).toEqual(WHOLE_STORY);
  });

  test('operators find it by its state, and its run ends once it is archived', async () => {
    const { id, hostname, workflowId } = await live();
    const found = () => client.workflow.count(`Hostname = '${hostname}' AND ConnectionState = 'live'`);
    await until(async () => (await found()).count === 1);
    expect((await users[1]!.call('DELETE', `/connections/${id}`)).body['state']).toBe('archived');
    await client.workflow.getHandle(workflowId).result();
  });

  test('checks of a healthy connection add nothing to its history', async () => {
    const handle = client.workflow.getHandle((await live()).workflowId);
    const watching = async () =>
      (await handle.describe()).raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'watch');
    await until(async () => (await watching()) !== undefined); // it is live shortly before the watch begins
    const slow = await watching();
    await handle.signal(touchSignal);
    const checks = async () => {
      const fast = await watching();
      return fast?.activityId === slow?.activityId ? 0 : (fast?.attempt ?? 0);
    };
    // The end of the slow check may be recorded a moment later, so a later pair of checks counts too.
    await until(async () => {
      const [before, seen] = [(await handle.describe()).historyLength, await checks()];
      if (seen < 2) return false;
      await until(async () => (await checks()) >= seen + 2);
      return (await handle.describe()).historyLength === before;
    });
  });

  test('the workers export health and metrics on an internal listener', async () => {
    await live();
    const metricsOf = async ({ port }: HalfProcess) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const all = async () => (await Promise.all(workers.map(metricsOf))).join('\n');
    await until(async () => (await all()).includes('outbox_oldest_seconds 0\n')); // the relay may still be sending
    const metrics = await all();
    expect(metrics).toMatch(/dns_look_total\{purpose="challenge",verdict="match"\} [1-9]/);
    expect(metrics).toMatch(
      /temporal_workflow_task_schedule_to_start_latency_seconds_count\{.*task_queue="connections"/,
    );
    const health = await fetch(`http://127.0.0.1:${workers[0]!.port}/healthz`);
    expect(await health.json()).toMatchObject({ status: 'ok' });
  });

  test('the edge serves a live hostname with a certificate, through the agent, from the tenant’s origin', async () => {
    const origin = await startEchoOrigin('origin');
    await users[0]!.call('PATCH', `/applications/${applicationId}`, { origin_url: origin.url });
    const { hostname } = await live();
    expect(await lab.visit(hostname)).toMatchObject({ status: 200 });
    await origin.stop();
  });

  test('a tenant’s own certificate reaches the edge with the logins of each process, and survives the agent', async () => {
    const { id, hostname } = await live();
    const { chain: certificate_chain, key: private_key } = authority.issue([hostname]);
    const put = await users[0]!.call('PUT', `/connections/${id}/certificate`, { certificate_chain, private_key });
    expect(put.status).toBe(200);
    const issuer = () => lab.issuerAt(hostname).catch(() => 'none');
    await until(async () => (await issuer()) === 'Test authority');
    await lab.agent.stop('SIGKILL');
    for (let i = 0; i < 5; i++) expect(await issuer()).toBe('Test authority');
    await lab.startAgent();
  });

  test('the API serves its own documentation', async () => {
    const [page, document] = await Promise.all(
      ['/docs', '/openapi.json'].map((path) => fetch(`http://127.0.0.1:${apis[0]!.port}${path}`)),
    );
    expect([page?.status, document?.status]).toEqual([200, 200]);
    expect(await document?.json()).toMatchObject({ openapi: '3.1.0' });
  });

  test('when a worker is killed, the other one finishes its connections, and no event is sent twice', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, () => users[0]!.connect(randomName())));
    await pause(150);
    await workers[0]!.stop('SIGKILL');
    await expectAllLive(ids);
    workers[0] = await lab.startWorker();
  }, 180_000);

  test('when Temporal is killed and restarted, every connection goes live, and no event is sent twice', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, () => users[0]!.connect(randomName())));
    await pause(300);
    await lab.temporal.kill();
    ids.push(await users[0]!.connect(randomName())); // accepted while Temporal is down
    await lab.temporal.launch();
    await expectAllLive(ids);
  }, 180_000);

  test('on SIGTERM an API and a worker finish their work and exit with 0', async () => {
    const [api, worker] = [apis.pop()!, workers.pop()!];
    expect(await Promise.all([api.stop(), worker.stop()])).toEqual([0, 0]);
  });
});
