import type { Count } from './run-step.ts';

/** The steps of the test command, in order. */
export interface Steps {
  /** Returns whether this machine has every tool that the tests use. */
  tools(): Promise<boolean>;
  checks(): Promise<Count[]>;
  servers(): Promise<Count>;
  jest(args: readonly string[]): Promise<Count>;
}

/**
 * Runs the test command and returns the counts of its last line: one for each static check and one for each jest test.
 * Every step after the tools runs even if an earlier one failed, so that one run reports everything. Without its tools
 * the whole command does not start. With arguments only jest runs, and missing tools are only reported, because the
 * selected tests may not need them.
 */
export async function runTestCommand(args: readonly string[], steps: Steps): Promise<Count> {
  const isWhole = args.length === 0;
  const hasTools = await steps.tools();
  if (!isWhole) return steps.jest(args);
  if (!hasTools) return { passed: 0, failed: 1 };
  return add([{ passed: 1, failed: 0 }, ...(await steps.checks()), await steps.servers(), await steps.jest(args)]);
}

function add(counts: readonly Count[]): Count {
  return counts.reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed }));
}
