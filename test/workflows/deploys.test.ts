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
/** A run that was reset says so, and a message may come while a run makes room for the next. */
const NO_FAULT = /_(RESET_WORKFLOW|UNHANDLED_COMMAND)$/;

/** docs/workflows.md, 'Deploying', step by step: the commands there are the commands here. */
describe('a deployment', () => {
  let server: TemporalOnPostgres;
  let lab: Lab;
  let rows: ConnectionRow[];
  let today: string;
  let next: string;
  let traffic: { stop(): Promise<void> };
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
  }, 900_000); // building the server takes minutes on a machine that has never done it
  afterAll(async () => {
    await traffic.stop();
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

  async function everyRunAnswers(): Promise<void> {
    const outcomes = await Promise.all(rows.map((row) => lab.verify(row)));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(rows.map(() => 'missing'));
  }

  /** Why workflow tasks failed, in all runs there are. */
  async function failures(): Promise<string[]> {
    const causes: string[] = [];
    for await (const { workflowId, runId } of lab.temporal.client.workflow.list()) {
      causes.push(...(await failedTasksOf(lab.temporal.client.workflow.getHandle(workflowId, runId))));
    }
    return causes.filter((cause) => !NO_FAULT.test(cause));
  }

  test('with a held patch goes forward and back under traffic without one failed workflow task', async () => {
    const old = await start(today);
    rows = await Promise.all(Array.from({ length: CONNECTIONS }, () => lab.createAndStart()));
    for (const { id } of rows) await lab.untilState(id, 'live');
    lab.scenario.challenge = () => 'mismatch';
    rows.push(...(await Promise.all(Array.from({ length: CONNECTIONS }, () => lab.createAndStart()))));
    traffic = startTraffic(lab, rows);

    const holding = await start(next, { heldPatches: [PATCH] });
    await everyRunAnswers();
    await stop(old);
    await everyRunAnswers();
    expect(await tookPatch()).toBe(0);

    const taking = await start(next);
    await stop(holding);
    await everyRunAnswers();
    await until(async () => (await tookPatch()) === rows.length);

    const holdingAgain = await start(next, { heldPatches: [PATCH] });
    await stop(taking);
    await everyRunAnswers();
    expect(await failures()).toEqual([]);
    await traffic.stop();

    // All the way back, to code that does not know the patch.
    await stop(holdingAgain);
    await resetWhoTookThePatch();
    await until(async () => (await tookPatch()) === 0);
    await start(today);
    await everyRunAnswers();
    expect(await failures()).toEqual([]);
  });

  test('with versions moves runs from build to build, and back, and leaves none behind', async () => {
    const [unversioned] = running;
    traffic = startTraffic(lab, rows);
    const [one, two] = ['one', 'two'].map((buildId) => ({ version: { deploymentName: DEPLOYMENT, buildId } }));
    await start(today, one);
    await setCurrent('one');
    await stop(unversioned!);
    await everyRunAnswers();

    await start(next, two);
    await everyRunAnswers();
    expect(await tookPatch()).toBe(0);
    await setWorkerVersion(server.address, 'set-ramping-version', '--build-id', 'two', '--percentage', '50');
    await everyRunAnswers();
    expect(await failures()).toEqual([]);
    await setCurrent('two');
    await everyRunAnswers();
    await until(async () => (await tookPatch()) === rows.length);
    expect(await failures()).toEqual([]);
    await traffic.stop();

    await setCurrent('one');
    await resetWhoTookThePatch();
    await until(async () => (await tookPatch()) === 0);
    await everyRunAnswers();
    for (const { id } of rows) await lab.archive(id);
    await lab.relay();
    for (const row of rows) await lab.handle(row).result();
  });
});

/** Messages to every run, one after the other, all the time. */
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
