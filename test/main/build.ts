import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** `npm run build`, as the Dockerfile runs it. */
export async function build(): Promise<void> {
  await promisify(execFile)('npm', ['run', 'build'], { cwd: join(import.meta.dirname, '../..') });
}
