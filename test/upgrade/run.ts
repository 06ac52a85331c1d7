import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { obtainRelease } from '../../bench/support/release.ts';
import { ensureDatabase } from '../../src/db/migrate.ts';
import { obtainServer } from '../../src/embedded/servers.ts';
import { expect, Report } from '../containers/report.ts';
import { violations } from '../support/invariants.ts';
import { Servers } from '../faults/servers.ts';
import { Receiver } from '../support/doubles/receiver.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';
import { sendRequests, type Seen } from '../support/fixtures/busy-client.ts';
import { failedTasksOf } from '../support/failed-tasks.ts';
import { until } from '../support/until.ts';
import { Fleet, newPatches, type Version } from './fleet.ts';

/**
 * `npm run test:upgrade` replaces running processes of a recorded release by this version and back, under traffic, as
 * docs/runbooks/upgrade-and-roll-back.md and docs/workflows.md describe it. It needs the release's commit in the history
 * of the repository, and about ten minutes.
 */
const RELEASE = process.argv[2] ?? '0.1.0';
const folder = obtainRelease(RELEASE);
if (folder === undefined) {
  process.stderr.write(`The commit of release ${RELEASE} is not in this repository's history. Fetch all of it: git fetch --unshallow\n`); // prettier-ignore
  process.exit(1);
}
const old: Version = { folder };
const taking: Version = { folder: join(import.meta.dirname, '../..') };
const patches = newPatches(old, taking);
const holding: Version = { ...taking, workerEnv: { WORKER_HELD_PATCHES: patches.join(',') } };
const TOOK_PATCH = `TemporalChangeVersion IN (${patches.map((id) => `'${id}'`).join(', ')}) AND ExecutionStatus = 'Running'`; // prettier-ignore
/** Connections that are created and become live in each step, at least. */
const EACH_STEP = 10;

process.env['TEMPORAL_CLI_PATH'] = await obtainServer('temporal', { onProgress: (line) => console.error(line) });
const scratch = await mkdtemp(join(tmpdir(), 'upgrade-'));
const servers = await Servers.start(scratch);
const receiver = await Receiver.start();
const databaseUrl = await ensureDatabase(servers.postgresUrl, 'service');
const database = new pg.Client({ connectionString: databaseUrl });
await database.connect();
const fleet = new Fleet(databaseUrl, {
  TEMPORAL_ADDRESS: servers.temporalAddress,
  EDGE: 'off',
  RATE_LIMIT_KEY: '0',
  RATE_LIMIT_TENANT: '0',
  WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8,::1',
  CREDENTIAL_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  WIDGET_TOKEN_KEYS: `w1:${Buffer.alloc(32, 3).toString('base64')}`,
  CURSOR_KEY: `c1:${Buffer.alloc(32, 5).toString('base64')}`,
  BASE_URL: 'http://lab.localhost',
  DNS_RESOLVERS: '127.0.0.1:9',
});
const report = new Report();
const seen: Seen = { answered: 0, failed: [], created: [] };
let isOver = false;
let traffic: Promise<unknown> = Promise.resolve();

/** Runs a step under traffic, and waits until enough connections that were created after it are live. */
const step = (title: string, body: () => Promise<unknown>): Promise<void> =>
  report.trial(title, async () => {
    const [answered, failed] = [seen.answered, seen.failed.length];
    const began = performance.now();
    await body();
    const before = seen.created.length;
    await until(() => seen.created.length >= before + EACH_STEP);
    await untilLive(seen.created.slice());
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    expect(seen.failed.length === failed, `failed: ${seen.failed.slice(failed).join('; ')}`);
    return `${seconds} s, ${seen.answered - answered} requests, ${seen.created.length} connections live`;
  });

const untilLive = (hostnames: string[]): Promise<void> =>
  until(async () => {
    const { rows } = await database.query<{ live: number }>(
      `SELECT count(*)::integer AS live FROM connections WHERE hostname = ANY($1) AND state = 'live'`,
      [hostnames],
    );
    return rows[0]!.live === hostnames.length;
  }, 120_000);

async function beginTraffic(): Promise<void> {
  const { test } = JSON.parse(await fleet.cli(old, 'tenant', 'create', '--name', 'Upgrade', '--json')) as {
    test: { application_id: string; key: string };
  };
  const user = new ApiUser(`http://127.0.0.1:${fleet.ports()[0]}`, test);
  const endpoint = { application_id: test.application_id, url: receiver.url };
  const { status, body } = await user.call('POST', '/webhook-endpoints', endpoint);
  expect(status === 201, `The endpoint was refused: ${JSON.stringify(body)}`);
  receiver.secrets = [String(body['signing_secret'])];
  const client = {
    ports: fleet.ports,
    caller: test,
    newHostname: () => `${randomUUID().slice(0, 8)}.auto.test`,
    isOver: () => isOver,
    pauseMs: 200,
  };
  traffic = Promise.all([0, 1].map((first) => sendRequests(client, seen, first)));
}

/** Starts the runs that took a new patch again, as docs/workflows.md describes a complete rollback. */
async function resetRuns(): Promise<void> {
  const temporal = (...args: string[]) =>
    promisify(execFile)(process.env['TEMPORAL_CLI_PATH']!, [...args, '--address', servers.temporalAddress]);
  await temporal('workflow', 'reset', '--type', 'FirstWorkflowTask', '--reapply-exclude', 'All', '--reason', 'back', '--query', TOOK_PATCH, '--yes'); // prettier-ignore
  await until(async () => (await servers.temporalClient.workflow.count(TOOK_PATCH)).count === 0, 60_000);
}

/** Returns the causes of failed workflow tasks, without those that a reset or an early message causes. */
async function failedTasks(): Promise<string[]> {
  const causes: string[] = [];
  for await (const { workflowId, runId } of servers.temporalClient.workflow.list())
    causes.push(...(await failedTasksOf(servers.temporalClient.workflow.getHandle(workflowId, runId))));
  return causes.filter((cause) => !/_(RESET_WORKFLOW|UNHANDLED_COMMAND)$/.test(cause));
}

const eventIds = async (): Promise<string[]> =>
  (await database.query<{ id: string }>('SELECT id FROM events')).rows.map(({ id }) => id);

process.stdout.write(`From ${RELEASE} to this version. New patches: ${patches.join(', ') || 'none'}.\n`);
try {
  await step(`${RELEASE} serves`, async () => {
    await fleet.cli(old, 'migrate');
    await fleet.become(old);
    await beginTraffic();
  });
  await step('its database is migrated while it serves', () => fleet.cli(taking, 'migrate'));
  await step('workers, then API processes are replaced one by one; new patches are held', () => fleet.become(holding));
  await step(`back to ${RELEASE}, on the migrated database`, () => fleet.become(old));
  await step('forward again', () => fleet.become(holding));
  await step('new patches are taken', () => fleet.replaceWorkers(taking));
  await step(`back to ${RELEASE} completely: runs that took a patch start again`, async () => {
    await fleet.stopWorkers();
    await resetRuns();
    await fleet.become(old);
  });
  await step('forward again, and the migration is finished', async () => {
    await fleet.become(holding);
    await fleet.replaceWorkers(taking);
    await fleet.cli(taking, 'migrate', '--finish');
  });
  isOver = true;
  await traffic;
  await report.trial('no request failed', () => {
    expect(seen.failed.length === 0, seen.failed.join('; '));
    return Promise.resolve(`${seen.answered} answers`);
  });
  await report.trial('every connection is live', async () => {
    await untilLive(seen.created);
    return `${seen.created.length} connections`;
  });
  await report.trial('no event is lost, doubled or out of sequence', async () => {
    const broken = await violations(database);
    expect(broken.length === 0, broken.slice(0, 5).join('; '));
    return `${(await eventIds()).length} events`;
  });
  await report.trial('the receiver got every event once', async () => {
    await until(async () => new Set(receiver.received.map(({ event }) => event.id)).size === (await eventIds()).length, 60_000); // prettier-ignore
    const ids = receiver.received.map(({ event }) => event.id);
    expect(ids.length === new Set(ids).size, `${ids.length - new Set(ids).size} of ${ids.length} came twice`);
    return `${ids.length} deliveries`;
  });
  await report.trial('no workflow task failed', async () => {
    const causes = await failedTasks();
    expect(causes.length === 0, causes.slice(0, 5).join('; '));
    return 'none';
  });
} finally {
  isOver = true;
  await traffic.catch(() => undefined);
  await fleet.stop().catch((error: unknown) => console.error(error));
  await database.end();
  await receiver.stop();
  await servers.stop();
  await rm(scratch, { recursive: true, force: true });
}
process.exitCode = report.print() ? 0 : 1;
