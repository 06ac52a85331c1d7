import { bundleWorkflowCode } from '@temporalio/worker';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { startWorker, type RunningWorker, type WorkerSettings } from '../../src/temporal/worker.ts';
import { touchSignal } from '../../workflows/messages.ts';
import { SUPERUSER_URL_VARIABLE } from '../support/fixtures/database.ts';
import { failedTasksOf } from '../support/failed-tasks.ts';
import { Lab } from '../support/fixtures/workflow-lab.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { TemporalOnPostgres } from '../support/servers/temporal-on-postgres.ts';
import { until } from '../support/until.ts';
import { DEPLOYMENT, setWorkerVersion } from '../support/fixtures/worker-deployment.ts';

const PATCH = 'next-release';
const TOOK_PATCH = `TemporalChangeVersion = '${PATCH}' AND ExecutionStatus = 'Running'`;
const CONNECTIONS = 6;
/** Expected causes: a reset run fails its open task, and a message can arrive while a run continues as new. */
const EXPECTED_CAUSES = /_(RESET_WORKFLOW|UNHANDLED_COMMAND)$/;

/** Follows docs/workflows.md, "Deploying", step by step, with the same commands. */
describe('a deployment', () => {
  let server: TemporalOnPostgres;
  let lab: Lab;
  let rows: ConnectionRow[];
  let today: string;
  let next: string;
  let traffic: { stop(): Promise<void> } | undefined;
  const running = new Set<RunningWorker>();

  beforeAll(async () => {
    const folder = await tempFolder();
    today = process.env['TEST_WORKFLOW_BUNDLE']!;
    next = join(folder, 'next-release.js');
    [server] = await Promise.all([
      TemporalOnPostgres.start(process.env[SUPERUSER_URL_VARIABLE]!, folder),
      bundleNextRelease(next),
    ]);
    lab = await Lab.open({ address: server.address });
  }, 900_000); // the first build of the server takes minutes
  afterAll(async () => {
    await traffic?.stop();
    await Promise.all([...running].map((worker) => worker.stop()));
    await lab.close();
    await server.stop();
  });

  async function start(codePath: string, settings: Partial<WorkerSettings> = {}): Promise<RunningWorker> {
    const worker = await startWorker({
      temporal: lab.temporal,
      activities: lab.activities,
      bundle: { codePath },
      maxCachedWorkflows: 100,
      maxActivities: 50,
      maxWorkflowTasks: 4,
      maxPollers: 10,
      ...settings,
    });
    running.add(worker);
    return worker;
  }

  async function stop(worker: RunningWorker): Promise<void> {
    running.delete(worker);
    await worker.stop();
  }

  const cli = (...args: string[]) =>
    promisify(execFile)(process.env['TEMPORAL_CLI_PATH']!, [...args, '--address', server.address]);

  const setCurrent = (buildId: string) =>
    setWorkerVersion(server.address, 'set-current-version', '--build-id', buildId);

  const resetWhoTookThePatch = () =>
    cli('workflow', 'reset', '--query', TOOK_PATCH, '--type', 'FirstWorkflowTask', '--reapply-exclude', 'All', '--reason', 'back', '--yes'); // prettier-ignore

  const tookPatch = async () => (await lab.temporal.client.workflow.count(TOOK_PATCH)).count;

  async function expectEveryRunAnswers(): Promise<void> {
    const outcomes = await Promise.all(rows.map((row) => lab.verify(row)));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(rows.map(() => 'missing'));
  }

  /** Returns the causes of all failed workflow tasks. */
  async function failures(): Promise<string[]> {
    const causes: string[] = [];
    for await (const { workflowId, runId } of lab.temporal.client.workflow.list()) {
      causes.push(...(await failedTasksOf(lab.temporal.client.workflow.getHandle(workflowId, runId))));
    }
    return causes.filter((cause) => !EXPECTED_CAUSES.test(cause));
  }

  test('with a held patch rolls forward and back under traffic without a failed workflow task', async () => {
    const old = await start(today);
    rows = await Promise.all(Array.from({ length: CONNECTIONS }, () => lab.createAndStart()));
    for (const { id } of rows) await lab.untilState(id, 'live');
    lab.scenario.challenge = () => 'mismatch';
    rows.push(...(await Promise.all(Array.from({ length: CONNECTIONS }, () => lab.createAndStart()))));
    traffic = startTraffic(lab, rows);

    const holding = await start(next, { heldPatches: [PATCH] });
    await expectEveryRunAnswers();
    await stop(old);
    await expectEveryRunAnswers();
    expect(await tookPatch()).toBe(0);

    const taking = await start(next);
    await stop(holding);
    await expectEveryRunAnswers();
    await until(async () => (await tookPatch()) === rows.length);

    const holdingAgain = await start(next, { heldPatches: [PATCH] });
    await stop(taking);
    await expectEveryRunAnswers();
    expect(await failures()).toEqual([]);
    await traffic.stop();

    // Roll back completely, to code that does not know the patch.
    await stop(holdingAgain);
    await resetWhoTookThePatch();
    await until(async () => (await tookPatch()) === 0);
    await start(today);
    await expectEveryRunAnswers();
    expect(await failures()).toEqual([]);
  });

  test('with worker versions moves every run to a new build and back', async () => {
    const [unversioned] = running;
    traffic = startTraffic(lab, rows);
    const [one, two] = ['one', 'two'].map((buildId) => ({ version: { deploymentName: DEPLOYMENT, buildId } }));
    await start(today, one);
    await setCurrent('one');
    await stop(unversioned!);
    await expectEveryRunAnswers();

    await start(next, two);
    await expectEveryRunAnswers();
    expect(await tookPatch()).toBe(0);
    await setWorkerVersion(server.address, 'set-ramping-version', '--build-id', 'two', '--percentage', '50');
    await expectEveryRunAnswers();
    expect(await failures()).toEqual([]);
    await setCurrent('two');
    await expectEveryRunAnswers();
    await until(async () => (await tookPatch()) === rows.length);
    expect(await failures()).toEqual([]);
    await traffic.stop();

    await setCurrent('one');
    await resetWhoTookThePatch();
    await until(async () => (await tookPatch()) === 0);
    await expectEveryRunAnswers();
    for (const { id } of rows) await lab.archive(id);
    await lab.relay();
    for (const row of rows) await lab.handle(row).result();
  });
});

/** Sends messages to every run, one after the other, until it is stopped. */
function startTraffic(lab: Lab, rows: readonly ConnectionRow[]): { stop(): Promise<void> } {
  let isOver = false;
  const send = async (): Promise<void> => {
    for (let i = 0; !isOver; i++) {
      const row = rows[i % rows.length]!;
      await (i % 2 === 0 ? lab.verify(row) : lab.handle(row).signal(touchSignal));
    }
  };
  const sending = Promise.all([send(), send()]);
  return {
    async stop() {
      isOver = true;
      await sending;
    },
  };
}

async function bundleNextRelease(codePath: string): Promise<void> {
  const ignore = () => undefined;
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(import.meta.dirname, '../../workflows/index.ts'),
    workflowInterceptorModules: [join(import.meta.dirname, 'next-release.ts')],
    logger: { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  await writeFile(codePath, code);
}
