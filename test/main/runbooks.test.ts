import { newName, shareStage } from '../faults/stage.ts';
import { runCli } from '../support/cli.ts';

/** Pages of docs/runbooks, followed step by step on the real processes. */
const stage = shareStage([]);

const connectAll = async (names: readonly string[]) => {
  for (const name of names) await stage().user().connect(name);
  await stage().untilLive(names);
};
const kept = async (names: readonly string[]): Promise<number> =>
  (await stage().query('SELECT id FROM connections WHERE hostname = ANY($1)', [names])).length;

test('back-up-and-restore.md: with Temporal lost too, what the backup holds goes on, and what came after is as never made', async () => {
  const [before, after] = [1, 2].map(() => Array.from({ length: 3 }, () => newName()));
  const waiting = newName('hand');
  await stage().user().connect(waiting);
  await connectAll(before!);
  const backup = await stage().servers.baseBackup();
  await connectAll(after!);

  const halves = [...stage().apis, ...stage().workers];
  await Promise.all(halves.map(({ process }) => process.stop('SIGTERM')));
  await Promise.all([stage().servers.killPostgres(), stage().servers.killTemporal()]);
  await stage().servers.forgetTemporal();
  await Promise.all([stage().servers.startPostgresFrom(backup), stage().servers.startTemporal()]);
  await Promise.all(halves.map((actor) => stage().revive(actor)));
  const reconciled = await runCli(['reconcile', '--all'], {
    DATABASE_URL: stage().databaseUrl,
    TEMPORAL_ADDRESS: stage().servers.temporalAddress,
  });

  expect(reconciled.code).toBe(0);
  expect([await kept(before!), await kept(after!)]).toEqual([3, 0]);
  await connectAll([...after!, newName()]); // names from after the backup are free, and are connected again
  // Each of those from before has its run again: the stage's end judges that (I5).
}, 180_000);

test('postgres-fails-over.md: with a synchronous standby nothing that was acknowledged is missing, and nobody is restarted', async () => {
  const standby = await stage().servers.startStandby();
  const names = Array.from({ length: 5 }, () => newName());
  for (const name of names) await stage().user().connect(name);
  await stage().servers.killPostgres();
  await standby.promote();
  await stage().servers.startPostgresFrom(standby.folder);

  expect(await kept(names)).toBe(names.length);
  await stage().untilLive(names, 90_000);
  await connectAll([newName()]);
}, 180_000);
