import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNodeTool } from './runner/run-step.ts';

/**
 * `npm run test:random` runs every test file that draws random cases, with new cases each time. The first argument is
 * the number of rounds (default 50). Further arguments select files by part of their path. The last line counts the
 * rounds.
 */
const [rounds = '50', ...parts] = process.argv.slice(2);
const FOLDER = import.meta.dirname;

const files = globSync('**/*.test.ts', { cwd: FOLDER })
  .filter((file) => /from '(fast-check|.*support\/tries\.ts)'/.test(readFileSync(join(FOLDER, file), 'utf8')))
  .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
  .sort();

process.stdout.write(`${files.length} files draw random cases:\n${files.map((file) => `  test/${file}\n`).join('')}`);
let failed = 0;
for (let round = 1; round <= Number(rounds); round++) {
  const paths = files.map((file) => join(FOLDER, file));
  const ok = await runNodeTool('jest', ['--silent', '--runTestsByPath', ...paths]);
  if (!ok) failed++;
  process.stdout.write(`Round ${round} of ${rounds}: ${ok ? 'passed' : 'FAILED'}\n`);
}
process.stdout.write(`${Number(rounds) - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
