import { join } from 'node:path';
import { runTool } from '../../../src/embedded/run-tool.ts';
import { pythonPackages } from './python-packages.ts';

/** Fetches the linter for migrations; `all-servers.ts` does so before the tests. */
export const obtainSquawk = (): Promise<string> => pythonPackages('squawk', 'squawk-requirements.txt');

/** Rules that do not apply here: the migration command sets timeouts, and a migration is one transaction. */
const EXCLUDED_RULES = ['prefer-robust-stmts', 'require-lock-timeout', 'require-statement-timeout'];

/** Returns the linter's output for a migration; empty if it has no complaint. */
export async function lintMigration(file: string, { inTransaction }: { inTransaction: boolean }): Promise<string> {
  const { ok, output } = await runTool(join(await obtainSquawk(), 'bin', 'squawk'), [
    '--pg-version=18',
    '--reporter=tty',
    `--exclude=${EXCLUDED_RULES.join()}`,
    ...(inTransaction ? ['--assume-in-transaction'] : []),
    file,
  ]);
  return ok ? '' : output;
}
