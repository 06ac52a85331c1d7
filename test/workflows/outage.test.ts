import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { none, sql } from '../../src/db/pool.ts';
import { createMetrics } from '../../src/metrics.ts';
import { openTemporal, startConnection, type Temporal } from '../../src/temporal/client.ts';
import { startRelay } from '../../src/temporal/relay.ts';
import { startWorker } from '../../src/temporal/worker.ts';
import { startTestApi } from '../support/fixtures/api.ts';
import { startFreezingProxy, type FreezingProxy } from '../support/proxies/freezing-proxy.ts';
import { send } from '../support/http.ts';
import { Lab, log } from '../support/fixtures/workflow-lab.ts';
import { until } from '../support/until.ts';

const KEYS = [{ kid: 'k1', secret: Buffer.alloc(32, 1) }] as const;
/** Time after which the caller of verify gives up. */
const PATIENCE_MS = 30_000;

/**
 * Faults and readers between the service and Temporal: a connection that breaks, and third parties that read payloads.
 */
describe('on the way to Temporal', () => {
  let lab: Lab;
  let proxy: FreezingProxy;
  const opened: Temporal[] = [];
  beforeAll(async () => {
    lab = await Lab.open('dev-server');
    proxy = await startFreezingProxy(`http://${lab.env.address}`);
  });
  beforeEach(() => lab.reset());
  afterAll(async () => {
    await Promise.all(opened.map(({ connection }) => connection.close()));
    await proxy.stop();
    await lab.close();
  });

  const behindProxy = (): Temporal => {
    const temporal = openTemporal({ TEMPORAL_ADDRESS: new URL(proxy.url).host }, lab.temporal.taskQueue);
    opened.push(temporal);
    return temporal;
  };

  test('all messages that waited during an outage are sent as soon as Temporal answers', async () => {
    const relay = startRelay({
      pool: lab.pool,
      databaseUrl: lab.databaseUrl,
      temporal: behindProxy(),
      log: log.child({}, { level: 'silent' }),
      metrics: createMetrics(),
    });
    proxy.cut();
    const rows = await Promise.all([lab.create(), lab.create(), lab.create()]);
    await until(() => lab.pool.exists(sql.type(none)`SELECT FROM outbox WHERE attempts > 0`));
    await lab.pool.query(sql.type(none)`UPDATE outbox SET next_attempt_at = now() + interval '1 hour'`);
    await proxy.heal();
    for (const { id } of rows) await lab.untilState(id, 'live');
    await relay.stop();
  });

  test('verify answers 503 while Temporal is silent, before its caller gives up', async () => {
    const frozen = await startFreezingProxy(`http://${lab.env.address}`);
    frozen.freeze();
    const temporal = openTemporal({ TEMPORAL_ADDRESS: new URL(frozen.url).host }, lab.temporal.taskQueue);
    const api = await startTestApi({ temporal, databaseUrl: lab.databaseUrl });
    const row = await lab.create();
    const response = await fetch(`${api.baseUrl}/v1/connections/${row.id}/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${lab.tenant.test.key}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    expect(response.status).toBe(503);
    await api.stop();
    await temporal.connection.close();
    await frozen.stop();
  });

  test('with codec keys a history shows only ids and search attributes, and only this machine can decode its payloads', async () => {
    const temporal = openTemporal({ TEMPORAL_ADDRESS: lab.env.address }, 'encrypted', [...KEYS]);
    opened.push(temporal);
    const worker = await startWorker({
      temporal,
      activities: lab.activities,
      bundle: { codePath: process.env['TEST_WORKFLOW_BUNDLE']! },
      maxCachedWorkflows: 10,
      maxActivities: 10,
      maxWorkflowTasks: 2,
      maxPollers: 5,
    });
    const row = await lab.create();
    const handle = await startConnection(temporal, row);
    await lab.untilState(row.id, 'live');
    const history = historyToJSON(await lab.temporal.client.workflow.getHandle(handle.workflowId).fetchHistory());
    const payloads = payloadsOf(JSON.parse(history));
    const isEncrypted = ({ metadata }: JsonPayload) => textOf(metadata.encoding) === 'binary/encrypted';
    expect(payloads.filter(isEncrypted).length).toBeGreaterThan(5);
    // Written by the SDK itself: names of patches, and names of activities with their numbers.
    const readable = payloads.filter((payload) => !isEncrypted(payload)).map(({ data }) => textOf(data));
    for (const own of [row.hostname, row.id, row.tenant_id, row.challenge_token, 'live'])
      expect(readable.join('\n')).not.toContain(own);

    const api = await startTestApi({ temporal, ownInternalPort: true });
    const url = `${api.internalUrl}/internal/codec/decode`;
    const decoded = (await send('POST', url, { body: { payloads } })).body as { payloads: { data: string }[] };
    expect(decoded.payloads.map(({ data }) => textOf(data)).join('\n')).toContain(row.id);
    expect((await send('POST', `${api.baseUrl}/internal/codec/decode`, { body: { payloads } })).status).toBe(404);
    const underAnotherName = request(url, { method: 'POST', headers: { host: 'rebound.example-customer.com' } }).end();
    const [refused] = (await once(underAnotherName, 'response')) as [IncomingMessage];
    expect(refused.resume().statusCode).toBe(403);
    await api.stop();
    await worker.stop();
  });
});

interface JsonPayload {
  metadata: { encoding: string };
  data: string;
}

const textOf = (base64: string): string => Buffer.from(base64, 'base64').toString();

/** Returns every payload in a history except search attributes, which Temporal must read. */
function payloadsOf(value: unknown): JsonPayload[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('metadata' in value && 'data' in value) return [value as JsonPayload];
  return Object.entries(value).flatMap(([name, inner]) => (name === 'searchAttributes' ? [] : payloadsOf(inner)));
}
