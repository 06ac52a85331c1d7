import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { announce, runNodeTool } from './run-step.ts';
import type { Count } from './run-step.ts';

const Results = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
  testResults: z.array(z.object({ name: z.string(), startTime: z.number(), endTime: z.number() })),
});

type Results = z.infer<typeof Results>;

const ROOT = join(import.meta.dirname, '..', '..');
const SLOWEST = 10;

/** Runs jest with its usual output, counts tests in its report, and prints the slowest files. */
export async function runJest(args: readonly string[]): Promise<Count> {
  announce('Tests (jest)');
  const folder = await mkdtemp(join(tmpdir(), 'jest-report-'));
  try {
    const report = join(folder, 'report.json');
    const ok = await runNodeTool('jest', [...args, '--json', `--outputFile=${report}`]);
    const results = await readReport(report);
    const count = countResults(results, selectsByName(args));
    for (const line of slowest(results?.testResults ?? [])) process.stdout.write(`${line}\n`);
    // Jest can fail without a failed test: no file matched, or set-up or teardown failed.
    return ok || count.failed > 0 ? count : { ...count, failed: 1 };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Whether only some tests of a file were selected. Jest then reports the others as pending, which is not a failure. */
const selectsByName = (args: readonly string[]) => args.some((arg) => /^(-t|--testNamePattern)(=|$)/.test(arg));

async function readReport(report: string): Promise<Results | undefined> {
  const text = await readFile(report, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Results.parse(JSON.parse(text));
}

/** Returns a title and a line for each of the ten slowest files; empty if ten files or fewer ran. */
export function slowest(files: Results['testResults']): string[] {
  if (files.length <= SLOWEST) return [];
  const lines = files
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(({ name, seconds }) => `${seconds.toFixed(0).padStart(5)} s  ${relative(ROOT, name)}`);
  return ['The slowest files:', ...lines];
}

function countResults(results: Results | undefined, othersArePending: boolean): Count {
  if (results === undefined) return { passed: 0, failed: 1 };
  const skipped = results.numTodoTests + (othersArePending ? 0 : results.numPendingTests);
  if (skipped > 0) process.stdout.write(`${skipped} tests were skipped or are todo; they count as failed.\n`);
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites + skipped,
  };
}
