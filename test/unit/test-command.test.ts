import { slowest } from '../runner/run-jest.ts';
import { runTestCommand, type Steps } from '../runner/test-command.ts';

/** Steps that record that they ran. */
function recorded(hasTools: boolean): { ran: string[]; steps: Steps } {
  const ran: string[] = [];
  const step =
    <Result>(name: string, result: Result) =>
    () => {
      ran.push(name);
      return Promise.resolve(result);
    };
  const steps = {
    tools: step('tools', hasTools),
    checks: step('checks', [
      { passed: 1, failed: 0 },
      { passed: 0, failed: 1 },
    ]),
    servers: step('servers', { passed: 1, failed: 0 }),
    jest: step('jest', { passed: 10, failed: 2 }),
  };
  return { ran, steps };
}

test('without its tools the full command does not start, and fails', async () => {
  const { ran, steps } = recorded(false);
  expect(await runTestCommand([], steps)).toEqual({ passed: 0, failed: 1 });
  expect(ran).toEqual(['tools']);
});

test('with its tools the full command runs every step and counts them all', async () => {
  const { ran, steps } = recorded(true);
  expect(await runTestCommand([], steps)).toEqual({ passed: 13, failed: 3 });
  expect(ran).toEqual(['tools', 'checks', 'servers', 'jest']);
});

test('chosen tests run even where tools are missing, because they may not use them', async () => {
  const { ran, steps } = recorded(false);
  expect(await runTestCommand(['test/unit'], steps)).toEqual({ passed: 10, failed: 2 });
  expect(ran).toEqual(['tools', 'jest']);
});

test('the ten slowest files are listed with their seconds, slowest first', () => {
  const files = Array.from({ length: 12 }, (_, i) => ({
    name: `test/f${i}.test.ts`,
    startTime: 5_000,
    endTime: 5_000 + i * 1_000,
  }));
  const [title, ...lines] = slowest(files);
  expect(title).toBe('The slowest files:');
  expect(lines).toHaveLength(10);
  expect(lines[0]).toMatch(/^ +11 s  .*f11\.test\.ts$/);
  expect(lines.at(-1)).toMatch(/^ +2 s  .*f2\.test\.ts$/);
  expect(slowest(files.slice(0, 3))).toEqual([]);
});
