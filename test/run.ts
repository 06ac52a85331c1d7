import { obtainAllServers } from './runner/all-servers.ts';
import { runJest } from './runner/run-jest.ts';
import { runChecks } from './runner/static-checks.ts';
import { ensureSystemTools } from './runner/system-tools.ts';
import { runTestCommand } from './runner/test-command.ts';

const { passed, failed } = await runTestCommand(process.argv.slice(2), {
  tools: ensureSystemTools,
  checks: runChecks,
  servers: obtainAllServers,
  jest: runJest,
});
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
