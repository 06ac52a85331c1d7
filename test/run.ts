import { obtainAllServers } from './support/all-servers.ts';
import { runJest } from './support/run-jest.ts';
import { runChecks } from './support/static-checks.ts';
import { ensureSystemTools } from './support/system-tools.ts';
import { runTestCommand } from './support/test-command.ts';

const { passed, failed } = await runTestCommand(process.argv.slice(2), {
  tools: ensureSystemTools,
  checks: runChecks,
  servers: obtainAllServers,
  jest: runJest,
});
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
