import { announce, asCount, runNodeTool } from './run-step.ts';
import type { Count } from './run-step.ts';

interface Check {
  title: string;
  tool: string;
  args: readonly string[];
}

const CHECKS: readonly Check[] = [
  { title: 'Types (tsc)', tool: 'tsc', args: ['--noEmit', '-p', '.'] },
  { title: 'Rules (eslint)', tool: 'eslint', args: ['.'] },
  { title: 'Prose (eslint)', tool: 'eslint', args: ['-c', 'tools/prose/eslint.config.js', '--no-inline-config', '.'] },
  {
    title: 'Spelling (cspell)',
    tool: 'cspell',
    args: ['lint', '--no-progress', '--no-summary', '--config', 'tools/spelling/cspell.json'],
  },
  { title: 'Format (prettier)', tool: 'prettier', args: ['--check', '--log-level', 'warn', '.'] },
  {
    title: 'Dependency rules (dependency-cruiser)',
    tool: 'depcruise',
    args: ['--output-type', 'err', 'src', 'workflows', 'activities'],
  },
  { title: 'Unused code (knip)', tool: 'knip', args: [] },
  {
    title: 'OpenAPI (spectral)',
    tool: 'spectral',
    args: ['lint', '--ruleset', 'tools/spectral.yaml', '--fail-severity', 'hint', 'docs/openapi.json'],
  },
];

/** Runs the checks. Each tool uses one processor, so two of them run concurrently. */
export async function runChecks(): Promise<Count[]> {
  announce('Checks');
  const waiting = [...CHECKS];
  const counts: Count[] = [];
  const lane = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) counts.push(await runCheck(check));
  };
  await Promise.all([lane(), lane()]);
  return counts;
}

async function runCheck({ title, tool, args }: Check): Promise<Count> {
  const ok = await runNodeTool(tool, args);
  process.stdout.write(`${title}: ${ok ? 'passed' : 'FAILED'}\n`);
  return asCount(ok);
}
