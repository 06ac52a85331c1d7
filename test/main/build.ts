import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Runs `npm run build` like the Dockerfile. */
export async function build(): Promise<void> {
  await promisify(execFile)('npm', ['run', 'build'], { cwd: join(import.meta.dirname, '../..') });
}
