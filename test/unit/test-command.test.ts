import { runTestCommand, type Steps } from '../support/test-command.ts';

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

test('without its tools the whole command does not begin, and fails', async () => {
  const { ran, steps } = recorded(false);
  expect(await runTestCommand([], steps)).toEqual({ passed: 0, failed: 1 });
  expect(ran).toEqual(['tools']);
});

test('with its tools the whole command runs every step and counts them all', async () => {
  const { ran, steps } = recorded(true);
  expect(await runTestCommand([], steps)).toEqual({ passed: 13, failed: 3 });
  expect(ran).toEqual(['tools', 'checks', 'servers', 'jest']);
});

test('chosen tests run even where tools are missing, because they may not use them', async () => {
  const { ran, steps } = recorded(false);
  expect(await runTestCommand(['test/unit'], steps)).toEqual({ passed: 10, failed: 2 });
  expect(ran).toEqual(['tools', 'jest']);
});
