import { announce, asCount, runNodeTool } from './run-step.ts';
import type { Count } from './run-step.ts';

interface Check {
  title: string;
  tool: string;
  args: readonly string[];
}

export const CHECKS: readonly Check[] = [
  { title: 'Types (tsc)', tool: 'tsc', args: ['--noEmit', '-p', '.'] },
  { title: 'Rules (eslint)', tool: 'eslint', args: ['.'] },
  { title: 'Format (prettier)', tool: 'prettier', args: ['--check', '--log-level', 'warn', '.'] },
  {
    title: 'Who imports whom (dependency-cruiser)',
    tool: 'depcruise',
    args: ['--output-type', 'err', 'src', 'workflows', 'activities'],
  },
  { title: 'Unused code (knip)', tool: 'knip', args: [] },
];

export async function runCheck({ title, tool, args }: Check): Promise<Count> {
  announce(title);
  const ok = await runNodeTool(tool, args);
  process.stdout.write(ok ? 'passed\n' : 'FAILED\n');
  return asCount(ok);
}
