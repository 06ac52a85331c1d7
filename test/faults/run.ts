import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { obtainAllServers } from '../runner/all-servers.ts';
import { runNodeTool } from '../runner/run-step.ts';
import { ensureSystemTools } from '../runner/system-tools.ts';
import { MATRIX, type FaultRow } from './matrix.ts';
import { REPORT_VARIABLE, type Seen } from './report.ts';

/**
 * `npm run test:faults` runs every row of the matrix, or the rows given as numbers, each with full counts, and prints a
 * table of the results. A test that several rows name runs once.
 */
const TESTS = join(import.meta.dirname, '..');
const wanted = process.argv.slice(2).map(Number);
const rows = MATRIX.filter(({ row }) => wanted.length === 0 || wanted.includes(row));

/** Trials that measure times run alone; the others run in parallel. */
const isMeasured = (file: string): boolean => /^faults\/(killed|cut-off|floods|timing)/.test(file);

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});
interface Outcome {
  file: string;
  name: string;
  status: string;
}

/**
 * Jest accepts one pattern for all files, so the pattern contains all names; other matches are not counted.
 * `--forceExit`, because a failed trial may leave a server running.
 */
async function runTests(files: readonly string[], names: readonly string[], folder: string): Promise<Outcome[]> {
  if (files.length === 0) return [];
  const report = join(folder, `${files[0]?.replaceAll('/', '-')}.json`);
  const pattern = names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  await runNodeTool('jest', [
    ...['--testMatch', '**/*.test.ts', '**/*.fault.ts', '--json', `--outputFile=${report}`, '--silent', '--forceExit'],
    ...(files.some(isMeasured) ? ['--runInBand'] : []),
    ...(pattern === '' ? [] : ['--testNamePattern', pattern]),
    '--runTestsByPath',
    ...files.map((file) => join(TESTS, file)),
  ]);
  const text = await readFile(report, 'utf8').catch(() => '{"testResults":[]}');
  return Report.parse(JSON.parse(text)).testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(TESTS, name);
    // If the set-up or the end of a file fails, no single test failed, so all rows of the file fail.
    const broken = message !== '' && assertionResults.every(({ status }) => status !== 'failed');
    return assertionResults.map(({ fullName, status }) => ({
      file,
      name: fullName,
      status: broken && status === 'passed' ? 'failed' : status,
    }));
  });
}

/**
 * Runs files of which all tests are wanted separately from the others, because a pattern would exclude some of their
 * tests.
 */
async function runRows(folder: string): Promise<Outcome[]> {
  const parts = rows.flatMap(({ tests }) => tests);
  const whole = new Set(parts.filter(({ names }) => names.length === 0).map(({ file }) => file));
  const some = parts.filter(({ file }) => !whole.has(file));
  const outcomes: Outcome[] = [];
  for (const isOf of [isMeasured, (file: string) => !isMeasured(file)]) {
    const named = some.filter(({ file }) => isOf(file));
    const files = [...new Set(named.map(({ file }) => file))];
    outcomes.push(...(await runTests(files, named.flatMap(({ names }) => names), folder))); // prettier-ignore
    outcomes.push(...(await runTests([...whole].filter(isOf), [], folder)));
  }
  return outcomes;
}

function judge({ tests }: FaultRow, outcomes: readonly Outcome[]): { passed: number; failed: string[] } {
  let passed = 0;
  const failed: string[] = [];
  for (const { file, names } of tests)
    for (const name of names.length === 0 ? [''] : names) {
      const met = outcomes.filter((one) => one.file === file && one.name.includes(name) && one.status !== 'pending');
      passed += met.filter(({ status }) => status === 'passed').length;
      failed.push(...met.filter(({ status }) => status !== 'passed').map((one) => one.name));
      if (met.length === 0) failed.push(`${file} did not run "${name}"`);
    }
  return { passed, failed };
}

process.env['TRIES'] ??= 'all';
const folder = await mkdtemp(join(tmpdir(), 'faults-'));
const report = join(folder, 'seen.jsonl');
process.env[REPORT_VARIABLE] = report;
if (!(await ensureSystemTools())) {
  process.stdout.write('0 passed, 1 failed\n');
  process.exit(1);
}
await obtainAllServers();
const outcomes = await runRows(folder);
const seen = (await readFile(report, 'utf8').catch(() => ''))
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Seen);
await rm(folder, { recursive: true });

let held = 0;
process.stdout.write('\n| row | done | expected | seen | held |\n| --- | --- | --- | --- | --- |\n');
for (const row of rows) {
  const { passed, failed } = judge(row, outcomes);
  if (failed.length === 0) held++;
  const results = [`${passed} tests`, ...seen.filter((one) => one.row === row.row).map((one) => one.seen)];
  const verdict = failed.length === 0 ? 'held' : `NOT held: ${failed.join('; ')}`;
  process.stdout.write(`| ${row.row} | ${row.fault} | ${row.expected} | ${results.join('; ')} | ${verdict} |\n`);
}
process.stdout.write(`${held} passed, ${rows.length - held} failed\n`);
process.exitCode = held === rows.length ? 0 : 1;
