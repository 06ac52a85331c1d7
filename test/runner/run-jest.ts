import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { announce, runNodeTool } from './run-step.ts';
import type { Count } from './run-step.ts';

const File = z.object({
  name: z.string(),
  status: z.string(),
  startTime: z.number(),
  endTime: z.number(),
  assertionResults: z.array(z.object({ status: z.string() })),
});
const Results = z.object({ testResults: z.array(File) });

type File = z.infer<typeof File>;
type Results = z.infer<typeof Results>;

/** Set by commands whose tests need no Postgres, no Temporal and no workflows. Global set-up then prepares nothing. */
export const NO_SERVERS_VARIABLE = 'TEST_NO_SERVERS';

const ROOT = join(import.meta.dirname, '..', '..');
const SLOWEST = 10;
/** More failed files than this are no accident of a busy machine. */
const REPEATED_AT_MOST = 4;

/**
 * Runs jest with its usual output, counts tests in its report, and prints the slowest files. In a run of all tests, a few
 * failed files run again alone, because a busy machine can make a test fail that is next to others.
 */
export async function runJest(args: readonly string[], { repeats = args.length === 0 } = {}): Promise<Count> {
  announce('Tests (jest)');
  const first = await report(args);
  const files = first.results?.testResults ?? [];
  for (const line of slowest(files)) process.stdout.write(`${line}\n`);
  const failed = files.filter(({ status }) => status === 'failed');
  const alone = repeats && failed.length <= REPEATED_AT_MOST ? failed : [];
  if (alone.length === 0) return countOf(first, selectsByName(args));
  process.stdout.write(`These files failed next to others, and run again alone:\n${listOf(alone)}`);
  // A test that fails again can leave a server open, for which Jest would wait forever.
  const second = await report(['--runInBand', '--forceExit', ...alone.map(({ name }) => name)]);
  const passedAlone = (second.results?.testResults ?? []).filter(({ status }) => status === 'passed');
  if (passedAlone.length > 0) process.stdout.write(`Passed alone; find out why they failed:\n${listOf(passedAlone)}`);
  const others = { ok: true, results: first.results && { ...first.results, testResults: without(files, alone) } };
  return sum(countOf(others, selectsByName(args)), countOf(second, false));
}

interface Report {
  ok: boolean;
  results: Results | undefined;
}

async function report(args: readonly string[]): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'jest-report-'));
  try {
    const file = join(folder, 'report.json');
    const ok = await runNodeTool('jest', [...args, '--json', `--outputFile=${file}`]);
    return { ok, results: await readReport(file) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const without = (files: readonly File[], others: readonly File[]) => files.filter((file) => !others.includes(file));

const listOf = (files: readonly File[]): string => files.map(({ name }) => `  ${relative(ROOT, name)}\n`).join('');

const sum = (a: Count, b: Count): Count => ({ passed: a.passed + b.passed, failed: a.failed + b.failed });

/** Whether only some tests of a file were selected. Jest then reports the others as pending, which is not a failure. */
const selectsByName = (args: readonly string[]) => args.some((arg) => /^(-t|--testNamePattern)(=|$)/.test(arg));

async function readReport(report: string): Promise<Results | undefined> {
  const text = await readFile(report, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Results.parse(JSON.parse(text));
}

/** Returns a title and a line for each of the ten slowest files; empty if ten files or fewer ran. */
export function slowest(files: readonly Pick<File, 'name' | 'startTime' | 'endTime'>[]): string[] {
  if (files.length <= SLOWEST) return [];
  const lines = files
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(({ name, seconds }) => `${seconds.toFixed(0).padStart(5)} s  ${relative(ROOT, name)}`);
  return ['The slowest files:', ...lines];
}

function countOf({ ok, results }: Report, othersArePending: boolean): Count {
  if (results === undefined) return { passed: 0, failed: 1 };
  const statuses = results.testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const having = (wanted: string) => statuses.filter((status) => status === wanted).length;
  // A file that cannot be loaded has no tests.
  const broken = results.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  const skipped = having('todo') + (othersArePending ? 0 : having('pending'));
  if (skipped > 0) process.stdout.write(`${skipped} tests were skipped or are todo; they count as failed.\n`);
  const count = { passed: having('passed'), failed: having('failed') + broken.length + skipped };
  // Jest can fail without a failed test: no file matched, or set-up or teardown failed.
  return ok || count.failed > 0 ? count : { ...count, failed: 1 };
}
