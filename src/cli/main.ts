import { parseArgs } from 'node:util';
import { isDatabaseProblem } from '../main/database-problem.ts';
import { ConfigError, parseConfig, readEnvironment } from '../config.ts';
import { openApiAccess } from './api-access.ts';
import {
  required,
  type ApiCommand,
  type Command,
  type Output,
  type PlainCommand,
  type SettingsCommand,
  type Values,
} from './command.ts';
import { batchCommands } from './commands/batches.ts';
import { connectCommands } from './commands/connect.ts';
import { connectionCommands } from './commands/connections.ts';
import { diagnoseCommands } from './commands/diagnose.ts';
import { doctorCommands } from './commands/doctor.ts';
import { domainConnectCommands } from './commands/domain-connect.ts';
import { edgeCommands } from './commands/edges.ts';
import { hostnameCommands } from './commands/hostnames.ts';
import { keyCommands } from './commands/keys.ts';
import { providerCommands } from './commands/providers.ts';
import { removalCommands } from './commands/removal.ts';
import { auditCommands } from './commands/audit.ts';
import { tenantCommands } from './commands/tenants.ts';
import { maintenanceCommands } from './commands/maintenance.ts';
import { statusCommands } from './commands/status.ts';
import { usageCommands } from './commands/usage.ts';
import { webhookCommands } from './commands/webhooks.ts';
import { CommandError, UsageError } from './errors.ts';
import { openServiceAccess } from './service-access.ts';

type AnyCommand = Command | PlainCommand | SettingsCommand | ApiCommand;

/** All commands. Results go to stdout, everything else to stderr. docs/operations.md lists the exit codes. */
const COMMANDS: readonly AnyCommand[] = [
  ...statusCommands,
  ...doctorCommands,
  ...diagnoseCommands,
  ...tenantCommands,
  ...removalCommands,
  ...hostnameCommands,
  ...providerCommands,
  ...auditCommands,
  ...keyCommands,
  ...connectionCommands,
  ...connectCommands,
  ...batchCommands,
  ...domainConnectCommands,
  ...usageCommands,
  ...maintenanceCommands,
  ...edgeCommands,
  ...webhookCommands,
];

async function run(args: readonly string[]): Promise<void> {
  if (args.length === 0 || args.includes('--help') || args[0] === 'help') {
    process.stdout.write(help());
    return;
  }
  const command = COMMANDS.find(({ name }) => name.split(' ').every((word, index) => args[index] === word));
  if (command === undefined) throw new UsageError(`There is no command "${args.join(' ')}".\n\n${help()}`);
  const { json, ...values } = parseOptions(command, args.slice(command.name.split(' ').length));
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

function parseOptions({ options, positional, requires, name, usage }: AnyCommand, args: readonly string[]): Values {
  try {
    const { values: named, positionals } = parseArgs({
      args: [...args],
      options: { ...options, json: { type: 'boolean' } },
      strict: true,
      allowPositionals: positional !== undefined,
    });
    if (positionals.length > 1) throw new UsageError(`Give only one ${positional ?? 'value'}.`);
    const values = positional === undefined ? named : { ...named, [positional]: positionals[0] };
    for (const option of requires) required(values, option);
    return values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\nUsage: ${name} ${usage} [--json]`);
  }
}

function help(): string {
  const width = Math.max(...COMMANDS.map(({ name, usage }) => `${name} ${usage}`.length));
  const lines = COMMANDS.map(({ name, usage, summary }) => `  ${`${name} ${usage}`.padEnd(width)}  ${summary}`);
  return `Usage: npm run -s cli -- COMMAND [--json]\n\n${lines.join('\n')}\n`;
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
