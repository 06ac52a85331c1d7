import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claimRun, stopOrphans } from '../../src/embedded/orphans.ts';
import { inspectProcess } from '../../src/embedded/process-info.ts';
import { source, startScript } from '../support/node-script.ts';
import { tempFolder } from '../support/temp-folder.ts';

const quietly = () => undefined;
const started: ChildProcess[] = [];

async function sleeper(): Promise<{ pid: number; startedAt: string }> {
  const child = spawn('sleep', ['60']);
  started.push(child);
  return { pid: child.pid!, startedAt: (await inspectProcess(child.pid!))!.startedAt };
}

afterAll(() => started.forEach((child) => child.kill('SIGKILL')));

test('a child left behind is stopped', async () => {
  const left = await sleeper();

  await stopOrphans([{ name: 'Sleeper', signal: 'SIGTERM', ...left }], quietly);

  expect(await inspectProcess(left.pid)).toBeUndefined();
});

test('an unrelated process with the id of a dead child is never killed', async () => {
  const stranger = await sleeper();
  const dead = { name: 'Sleeper', signal: 'SIGTERM', pid: stranger.pid, startedAt: 'another time' } as const;

  await stopOrphans([dead], quietly);

  expect((await inspectProcess(stranger.pid))?.startedAt).toBe(stranger.startedAt);
});

test('a data folder of another living process is refused', async () => {
  const dataDir = await tempFolder();
  const other = await sleeper();
  await writeFile(join(dataDir, 'run.json'), JSON.stringify({ owner: other, children: [] }));

  await expect(claimRun(dataDir, quietly)).rejects.toThrow(`in use by another running instance (process ${other.pid})`);
});

test('after kill -9 the next run stops the children and claims the folder', async () => {
  const dataDir = await tempFolder();
  const owner = startScript(`
    import { claimRun } from '${source('embedded/orphans.ts')}';
    import { startChild } from '${source('embedded/child.ts')}';
    const run = await claimRun(${JSON.stringify(dataDir)}, () => undefined);
    const child = await startChild({ name: 'Sleeper', executable: 'sleep', args: ['60'], stopWith: [] });
    await run.add({ name: 'Sleeper', pid: child.pid, signal: 'SIGTERM' });
    console.log(child.pid);
  `);
  const childPid = Number(await owner.nextLine());
  process.kill(owner.pid, 'SIGKILL');
  await owner.exited;
  expect(await inspectProcess(childPid)).toBeDefined();

  const run = await claimRun(dataDir, quietly);

  expect(await inspectProcess(childPid)).toBeUndefined();
  await run.release();
});
