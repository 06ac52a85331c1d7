import { isDatabaseProblem } from '../main/database-problem.ts';
import { ConfigError, parseConfig, readEnvironment } from '../config.ts';
import { openApiAccess } from './api-access.ts';
import { parseArguments } from './arguments.ts';
import type { Output, Values } from './command.ts';
import type { AnyCommand } from './commands.ts';
import { CommandError, UsageError } from './errors.ts';
import { commandIn, helpFor, noSuchCommand } from './help.ts';
import { openServiceAccess } from './service-access.ts';

const ASKS_FOR_HELP = new Set(['--help', '-h', 'help']);

/** Runs a command. Results go to stdout, everything else to stderr. docs/operations.md lists the exit codes. */
async function run(args: readonly string[]): Promise<void> {
  const command = commandIn(args);
  if (args.length === 0 || args[0] === 'help' || args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpFor(args.filter((arg) => !ASKS_FOR_HELP.has(arg))));
    return;
  }
  if (command === undefined) throw new UsageError(noSuchCommand(args));
  const { json, ...values } = parseArguments(command, args.slice(command.name.split(' ').length));
  const output = await outputOf(command, values);
  process.stdout.write(
    json === true ? `${JSON.stringify(output.json)}\n` : output.lines.map((line) => `${line}\n`).join(''),
  );
  process.exitCode = output.exitCode ?? 0;
}

async function outputOf(command: AnyCommand, values: Values): Promise<Output> {
  if ('runPlain' in command) return command.runPlain(values);
  if ('runBySettings' in command)
    return command.runBySettings(values, parseConfig(readEnvironment(), { role: command.role ?? 'service' }));
  if ('runByApi' in command) return command.runByApi(values, await openApiAccess(values));
  const access = await openServiceAccess();
  try {
    return await command.run(values, access);
  } finally {
    await access.pool.end();
  }
}

/** Returns one sentence for an error that the operator can fix, and the stack for a bug. */
function messageOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof CommandError || error instanceof ConfigError)
    return error.message;
  if (hasCode(error, MISSING_TABLE))
    return 'The database has no tables yet. Run the migrate command, or start the service once.';
  if (hasCode(error, INSUFFICIENT_PRIVILEGE) && process.argv[2] !== 'migrate')
    return 'The database login lacks the permission for this command. Use the login in WORKER_DATABASE_URL. In compose: docker compose run --rm cli COMMAND.';
  const problem = isDatabaseProblem(error);
  return problem ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
}

const MISSING_TABLE = '42P01';
const INSUFFICIENT_PRIVILEGE = '42501';

function hasCode(error: unknown, code: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && cause.code === code) return true;
  return false;
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${messageOf(error).trimEnd()}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
