import { obtainAllServers } from './support/all-servers.ts';
import { runJest } from './support/run-jest.ts';
import { runChecks } from './support/static-checks.ts';
import { ensureSystemTools } from './support/system-tools.ts';

/**
 * The test command. Everything runs even when something before it failed, so that one run tells all, and the last line
 * counts it all: a static check is one, jest's tests are one each. With arguments only jest runs, with these arguments.
 */
const jestArgs = process.argv.slice(2);
const total = { passed: 0, failed: 0 };

function count({ passed, failed }: { passed: number; failed: number }): void {
  total.passed += passed;
  total.failed += failed;
}

count(await ensureSystemTools());
if (jestArgs.length === 0) {
  (await runChecks()).forEach(count);
  count(await obtainAllServers());
}
count(await runJest(jestArgs));

process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed === 0 ? 0 : 1;
