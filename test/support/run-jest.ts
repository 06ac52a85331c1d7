import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { announce, runNodeTool } from './run-step.ts';
import type { Count } from './run-step.ts';

const Results = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
});

/** Runs jest with its usual output and counts from its report. */
export async function runJest(args: readonly string[]): Promise<Count> {
  announce('Tests (jest)');
  const folder = await mkdtemp(join(tmpdir(), 'jest-report-'));
  try {
    const report = join(folder, 'report.json');
    const ok = await runNodeTool('jest', [...args, '--json', `--outputFile=${report}`]);
    const count = await countReport(report, selectsByName(args));
    // Jest can fail without a failed test: no file matched, or set-up or teardown broke.
    return ok || count.failed > 0 ? count : { ...count, failed: 1 };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Asked to run some tests of a file, jest calls the others pending, and that is then no fault of theirs. */
const selectsByName = (args: readonly string[]) => args.some((arg) => /^(-t|--testNamePattern)(=|$)/.test(arg));

async function countReport(report: string, othersArePending: boolean): Promise<Count> {
  const text = await readFile(report, 'utf8').catch(() => undefined);
  if (text === undefined) return { passed: 0, failed: 1 };
  const results = Results.parse(JSON.parse(text));
  const skipped = results.numTodoTests + (othersArePending ? 0 : results.numPendingTests);
  if (skipped > 0) process.stdout.write(`${skipped} tests were skipped or are still to do: they count as failed.\n`);
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites + skipped,
  };
}
