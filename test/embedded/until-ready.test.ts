import { startChild, type Child } from '../../src/embedded/child.ts';
import { StartError } from '../../src/embedded/start-error.ts';
import { untilReady } from '../../src/embedded/until-ready.ts';

const started: Child[] = [];
async function server(script: string): Promise<Child> {
  const stopWith = [{ signal: 'SIGKILL', graceMs: 1_000 }] as const;
  const child = await startChild({ name: 'Temporal', executable: 'sh', args: ['-c', script], stopWith });
  started.push(child);
  return child;
}
afterEach(async () => {
  for (const child of started.splice(0)) await child.stop();
});

const whyItExited = (how: string) => new StartError(`It did not start. ${how}`);

test('a slow server is waited for, with a line that reports the wait', async () => {
  const lines: string[] = [];
  const onProgress = (line: string) => void lines.push(line);
  const patience = { reportEveryMs: 50, silenceMs: 600_000 };

  await untilReady(await server('sleep 60'), () => Promise.resolve(lines.length === 3), {
    onProgress,
    whyItExited,
    patience,
  });

  expect(lines).toHaveLength(3);
  for (const line of lines)
    expect(line).toMatch(/^Temporal is not ready after \d+ s\. It is still running, so we keep waiting …$/);
});

test('a server that has exited ends the wait with the reason', async () => {
  const waiting = untilReady(await server('echo no space >&2; exit 3'), () => Promise.resolve(false), {
    onProgress: () => undefined,
    whyItExited,
  });

  await expect(waiting).rejects.toThrow('It did not start. Temporal ended (exit code 3). Its last output: no space');
});

test('a server that stays silent ends the wait', async () => {
  const patience = { reportEveryMs: 20, silenceMs: 100 };

  const waiting = untilReady(await server('sleep 60'), () => Promise.resolve(false), {
    onProgress: () => undefined,
    whyItExited,
    patience,
  });

  await expect(waiting).rejects.toThrow(/^Temporal was not ready after \d+ s and printed nothing/);
});

test('a server that prints is not silent', async () => {
  const patience = { reportEveryMs: 200, silenceMs: 3_000 };
  const began = performance.now();
  const isReady = () => Promise.resolve(performance.now() - began > patience.silenceMs + 1_000);

  const options = { onProgress: () => undefined, whyItExited, patience };
  await untilReady(await server('while :; do echo replaying; sleep 0.1; done'), isReady, options);
});
