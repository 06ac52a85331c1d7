import { Client } from '@temporalio/client';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { inSpan, startTracing } from '../../src/telemetry/tracing.ts';
import type { Tracer } from '../../src/telemetry/tracer.ts';
import { startConnection, type Temporal } from '../../src/temporal/client.ts';
import { tracedCalls } from '../../src/temporal/traces.ts';
import type { ConnectionInput } from '../../workflows/messages.ts';
import { OtlpReceiver } from '../support/doubles/otlp-receiver.ts';
import { Lab } from '../support/fixtures/workflow-lab.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

describe('the trace of a workflow', () => {
  let receiver: OtlpReceiver;
  let tracer: Tracer | null;
  let lab: Lab;
  let temporal: Temporal;

  beforeAll(async () => {
    receiver = await OtlpReceiver.start();
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`, OTEL_BSP_SCHEDULE_DELAY: '50' };
    // The exporter reads its own variables.
    Object.assign(process.env, env);
    tracer = await startTracing(env, { service: 'lab', version: '0', onProblem: () => undefined });
    lab = await Lab.open('dev-server');
    const { connection, namespace } = lab.env;
    temporal = { ...lab.temporal, client: new Client({ connection, namespace: namespace!, ...tracedCalls() }) };
  });
  beforeEach(() => lab.reset());
  afterAll(async () => {
    await lab.close();
    await tracer?.stop(5_000);
    await receiver.stop();
  });

  /** Starts the workflow in a trace of its own, and returns that trace's id. */
  const startTraced = (row: ConnectionRow, input: Partial<ConnectionInput> = {}): Promise<string> =>
    inSpan('request', {}, async (span) => {
      await startConnection(temporal, row, input);
      return span!.context.traceId;
    });
  const namesIn = (trace: string) => receiver.spans.flatMap(({ traceId, name }) => (traceId === trace ? [name] : []));
  const runsIn = (trace: string) => namesIn(trace).filter((name) => name === 'workflow connection');

  test('spans runs that continue as new, and ends when the connection is live', async () => {
    lab.scenario.challenge = () => 'mismatch';
    const row = await lab.create();
    const trace = await startTraced(row, { continueAsNewAfter: 25 });
    await lab.untilCheckOf('challenge', 1);
    await until(async () => {
      await lab.verify(row);
      return runsIn(trace).length > 0;
    }, 60_000);
    lab.scenario.challenge = () => 'match';
    await lab.untilState(row.id, 'live');
    await until(() => receiver.named('activity watch').length > 0 && runsIn(trace).length > 1, 30_000);
    expect(namesIn(trace)).toEqual(expect.arrayContaining(['activity setUp', 'activity verifyNow']));
    expect(namesIn(trace)).not.toContain('activity watch');
    const [watch] = receiver.named('activity watch');
    expect(watch?.links.map(({ traceId }) => traceId)).toEqual([trace]);
  });

  test('leaves no mark in the commands: its history replays in a worker without traces, and in one with them', async () => {
    const row = await lab.create();
    await startTraced(row);
    await lab.untilState(row.id, 'live');
    const history = await lab.handle(row).fetchHistory();
    expect(JSON.stringify(history)).toContain('_tracer-data');
    const without = join(await tempFolder(), 'without-traces.js');
    await bundleWithoutTraces(without);
    for (const codePath of [without, process.env['TEST_WORKFLOW_BUNDLE']!])
      await Worker.runReplayHistory({ workflowBundle: { codePath } }, history, 'connection/traced/traced');
  });

  test('does not exist for a run that began without traces', async () => {
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'live');
    expect(JSON.stringify(await lab.handle(row).fetchHistory())).not.toContain('_tracer-data');
  });
});

async function bundleWithoutTraces(codePath: string): Promise<void> {
  const ignore = () => undefined;
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(import.meta.dirname, '../../workflows/index.ts'),
    logger: { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  await writeFile(codePath, code);
}
