import { inspectProcess } from '../../src/embedded/process-info.ts';
import { startChild } from '../../src/embedded/child.ts';
import { source, startScript } from '../support/node-script.ts';
import { until } from '../support/until.ts';

const stopWith = [{ signal: 'SIGTERM', graceMs: 200 }] as const;
const ownerScript = (then: string) => `
  import { startChild } from '${source('embedded/child.ts')}';
  const child = await startChild({
    name: 'Sleeper', executable: 'sleep', args: ['60'], stopWith: [{ signal: 'SIGTERM', graceMs: 1000 }],
  });
  ${then}
`;

test('a child that exits unexpectedly is reported with its last output', async () => {
  const { promise: reported, resolve: onUnexpectedExit } = Promise.withResolvers<string>();

  const child = await startChild({
    name: 'Greeter',
    executable: 'sh',
    args: ['-c', 'echo out of milk >&2; exit 3'],
    stopWith,
  });
  child.onUnexpectedExit(onUnexpectedExit);

  expect(await reported).toBe('Greeter ended (exit code 3). Its last output: out of milk');
});

test("a child without an explicit environment gets the machine's paths and none of our settings", async () => {
  process.env['CREDENTIAL_KEYS'] = 'k1:secret';

  const child = await startChild({ name: 'Teller', executable: 'env', args: [], stopWith });
  await child.exited;
  delete process.env['CREDENTIAL_KEYS'];

  const names = child.lastOutput().split('\n').map((line) => line.split('=')[0] ?? ''); // prettier-ignore
  expect(names).toContain('PATH');
  expect(names.filter((name) => !['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'].includes(name))).toEqual([]);
});

test('a child that ignores SIGTERM is killed, and that is not reported as unexpected', async () => {
  const reports: string[] = [];
  const child = await startChild({
    name: 'Stubborn',
    executable: 'sh',
    args: ['-c', "trap '' TERM; echo ready; while :; do sleep 1; done"],
    stopWith,
  });
  child.onUnexpectedExit((sentence) => reports.push(sentence));
  await until(() => child.lastOutput() === 'ready');

  await child.stop();

  expect(await inspectProcess(child.pid)).toBeUndefined();
  expect(reports).toEqual([]);
});

test('the error names a program that does not exist', async () => {
  const start = startChild({ name: 'Ghost', executable: '/nowhere/ghost', args: [], stopWith });

  await expect(start).rejects.toThrow(/^Ghost could not be run from \/nowhere\/ghost/);
});

test("a terminal's Ctrl-C reaches the owner and not its children", async () => {
  const owner = startScript(
    ownerScript(`
    process.once('SIGINT', async () => { console.log('interrupted'); await child.stop(); });
    console.log(child.pid);
  `),
  );
  const childPid = Number(await owner.nextLine());

  process.kill(owner.pid, 'SIGSTOP');
  process.kill(-owner.pid, 'SIGINT');
  expect(await inspectProcess(childPid)).toBeDefined();

  process.kill(owner.pid, 'SIGCONT');
  expect(await owner.nextLine()).toBe('interrupted');
  await owner.exited;
  expect(await inspectProcess(childPid)).toBeUndefined();
});

test('a process that exits without stopping its children does not leave them running', async () => {
  const owner = startScript(ownerScript('console.log(child.pid); process.exit(0);'));
  const childPid = Number(await owner.nextLine());

  await owner.exited;

  await until(async () => (await inspectProcess(childPid)) === undefined);
});
