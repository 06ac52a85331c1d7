import { join } from 'node:path';
import { runTool } from '../../../src/embedded/run-tool.ts';
import { pythonPackages } from './python-packages.ts';

/** The linter for migrations; `all-servers.ts` fetches it before the tests. */
export const obtainSquawk = (): Promise<string> => pythonPackages('squawk', 'squawk-requirements.txt');

/** Rules that hold otherwise here: timeouts are set by who migrates, and a migration is one transaction. */
const KEPT_ELSEWHERE = ['prefer-robust-stmts', 'require-lock-timeout', 'require-statement-timeout'];

/** What the linter finds in a migration: nothing, where it is content. */
export async function lintMigration(file: string, { inTransaction }: { inTransaction: boolean }): Promise<string> {
  const { ok, output } = await runTool(join(await obtainSquawk(), 'bin', 'squawk'), [
    '--pg-version=18',
    '--reporter=tty',
    `--exclude=${KEPT_ELSEWHERE.join()}`,
    ...(inTransaction ? ['--assume-in-transaction'] : []),
    file,
  ]);
  return ok ? '' : output;
}
