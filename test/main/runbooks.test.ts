import { randomBytes } from 'node:crypto';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '../../src/db/migrate.ts';
import { connectionWorkflowId } from '../../workflows/messages.ts';
import { newName, shareLab, WHOLE_STORY, type Actor } from '../faults/fault-lab.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { failedTasksOf } from '../support/failed-tasks.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { DEPLOYMENT, setWorkerVersion } from '../support/fixtures/worker-deployment.ts';

/** Follows pages of docs/runbooks step by step on the real processes. */
const lab = shareLab([]);

const connectAll = async (names: readonly string[]) => {
  for (const name of names) await lab().user().connect(name);
  await lab().untilLive(names);
};
const kept = async (names: readonly string[]): Promise<number> =>
  (await lab().query('SELECT id FROM connections WHERE hostname = ANY($1)', [names])).length;

test('back-up-and-restore.md: with Temporal lost too, connections in the backup continue, and later ones do not exist', async () => {
  const [before, after] = [1, 2].map(() => Array.from({ length: 3 }, () => newName()));
  const waiting = newName('hand');
  await lab().user().connect(waiting);
  await connectAll(before!);
  const backup = await lab().servers.baseBackup();
  await connectAll(after!);

  const halves = [...lab().apis, ...lab().workers];
  await Promise.all(halves.map(({ process }) => process.stop('SIGTERM')));
  await Promise.all([lab().servers.killPostgres(), lab().servers.killTemporal()]);
  await lab().servers.wipeTemporal();
  await Promise.all([lab().servers.startPostgresFrom(backup), lab().servers.startTemporal()]);
  await Promise.all(halves.map((actor) => lab().revive(actor)));
  const reconciled = await runCli(['reconcile', '--all'], {
    DATABASE_URL: lab().databaseUrl,
    TEMPORAL_ADDRESS: lab().servers.temporalAddress,
  });

  expect(reconciled.code).toBe(0);
  expect([await kept(before!), await kept(after!)]).toEqual([3, 0]);
  await connectAll([...after!, newName()]); // hostnames connected after the backup are free, and can be connected again
  // When the lab closes, invariant I5 checks that each connection from before the backup has a run.
}, 180_000);

test('upgrade-and-roll-back.md: a migration and the replacement of every process under traffic fail no request and strand no run', async () => {
  const migrations = join(await tempFolder(), 'migrations');
  await cp(join(import.meta.dirname, '../../migrations'), migrations, { recursive: true });
  await writeFile(
    join(migrations, '9998_a_column.sql'),
    'ALTER TABLE connections ADD COLUMN of_the_next_release text;',
  );
  await writeFile(
    join(migrations, '9999_an_index.sql'),
    '-- Without a transaction.\nCREATE INDEX CONCURRENTLY of_the_next_release ON connections (of_the_next_release);',
  );
  const names: string[] = [];
  // The API that is not being replaced, to which a load balancer sends requests.
  let [api, isOver] = [0, false];
  const traffic = (async () => {
    while (!isOver) {
      const name = newName();
      await lab().user(api).connect(name);
      names.push(name);
      await pause(200);
    }
  })();

  try {
    await migrate(lab().databaseUrl, migrations);
    // The code that starts here is older than the schema, as after a rollback.
    for (const worker of lab().workers) {
      expect(await worker.process.stop('SIGTERM')).toBe(0);
      await lab().revive(worker);
    }
    for (const [index, actor] of lab().apis.entries()) {
      api = 1 - index;
      expect(await actor.process.stop('SIGTERM')).toBe(0);
      await lab().revive(actor);
    }
  } finally {
    isOver = true;
    await traffic;
  }

  expect(names.length).toBeGreaterThan(10);
  await lab().untilLive(names, 120_000);
}, 240_000);

test('postgres-fails-over.md: with a synchronous standby no acknowledged write is lost, and no process is restarted', async () => {
  const standby = await lab().servers.startStandby();
  const names = Array.from({ length: 5 }, () => newName());
  for (const name of names) await lab().user().connect(name);
  await lab().servers.killPostgres();
  await standby.promote();
  await lab().servers.startPostgresFrom(standby.folder);

  expect(await kept(names)).toBe(names.length);
  await lab().untilLive(names, 90_000);
  await connectAll([newName()]);
}, 180_000);

test('workflows.md: worker versioning can be enabled and disabled on both task queues while runs are open', async () => {
  const replaceWorker = async (leaving: Actor, env: NodeJS.ProcessEnv, ...which: string[]) => {
    const coming = await lab().actor(lab().startWorker, env);
    await setWorkerVersion(lab().servers.temporalAddress, 'set-current-version', ...which);
    expect(await leaving.process.stop('SIGTERM')).toBe(0);
    lab().workers = [coming];
    return coming;
  };
  const eventsOf = async (name: string) => {
    const id = await lab().user().connect(name);
    await lab().untilLive([name]);
    const received = () =>
      lab().receiver.received.filter(({ event }) => 'connection' in event.data && event.data.connection.id === id);
    await until(() => received().length === WHOLE_STORY.length);
    return received()
      .toSorted((a, b) => a.event.sequence! - b.event.sequence!)
      .map(({ event }) => event.type);
  };
  const [unversioned] = lab().workers as [Actor];
  const before = newName();
  expect(await eventsOf(before)).toEqual(WHOLE_STORY);

  const build = { WORKER_DEPLOYMENT_NAME: DEPLOYMENT, WORKER_BUILD_ID: 'one' };
  const versioned = await replaceWorker(unversioned, build, '--build-id', 'one');
  expect(await eventsOf(newName())).toEqual(WHOLE_STORY);
  await replaceWorker(versioned, {}, '--unversioned');
  expect(await eventsOf(newName())).toEqual(WHOLE_STORY);
  await lab().untilLive([before]);
}, 240_000);

/** Runs last, because afterwards the processes have keys that other tests do not use. */
test('a-key-must-go.md: TEMPORAL_CODEC_KEYS can be added and rotated while runs are open, and no workflow task fails', async () => {
  const [old, next] = ['old', 'new'].map((kid) => `${kid}:${randomBytes(32).toString('base64')}`);
  const connections = new Map<string, string>();
  const connectOne = async () => {
    const name = newName();
    connections.set(name, await lab().user().connect(name));
    await lab().untilLive([name]);
  };
  await connectOne();
  for (const keys of [`${old},${next}`, `${next},${old}`]) {
    for (const actor of [...lab().workers, ...lab().apis]) {
      await actor.process.stop('SIGTERM');
      actor.env['TEMPORAL_CODEC_KEYS'] = keys;
      await lab().revive(actor);
    }
    await connectOne();
    for (const id of connections.values())
      expect((await lab().user().call('POST', `/connections/${id}/verify`)).status).toBe(200);
  }

  const failed: string[] = [];
  for (const [hostname, id] of connections) {
    const run = lab().servers.temporalClient.workflow.getHandle(connectionWorkflowId({ id, hostname }));
    failed.push(...(await failedTasksOf(run)));
  }
  expect(failed).toEqual([]);
}, 240_000);
