import { existsSync, globSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { runTool } from '../../src/embedded/run-tool.ts';
import { adviceFor, findMissing, installable, TOOLS, type Probe, type Tool } from './needed-tools.ts';
import { announce, runStep } from './run-step.ts';

/**
 * Adds the sbin folders to PATH. Tests start servers by name, and the PATH of an ordinary user may lack these folders.
 */
function addSbinToPath(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  for (const folder of ['/usr/local/sbin', '/usr/sbin', '/sbin']) if (!folders.includes(folder)) folders.push(folder);
  process.env['PATH'] = folders.join(delimiter);
  return folders;
}

const thisMachine = (folders: readonly string[]): Probe => ({
  hasProgram: (name) =>
    isAbsolute(name) ? existsSync(name) : folders.some((folder) => existsSync(join(folder, name))),
  hasFile: (pattern) => globSync(pattern).length > 0,
  async output([program, ...args]) {
    const { ok, output } = await runTool(program, args);
    return ok ? output : undefined;
  },
});

/**
 * Installs missing tools if possible (root on Debian), prints what is still missing, and returns whether nothing is.
 */
export async function ensureSystemTools(tools: readonly Tool[] = TOOLS): Promise<boolean> {
  announce('System tools');
  const probe = thisMachine(addSbinToPath());
  let missing = await findMissing(tools, probe);
  const packages = installable(missing, {
    isRoot: process.getuid?.() === 0,
    hasApt: existsSync('/usr/bin/apt-get'),
  });
  if (packages.length > 0) {
    await withoutStartingServices(() => install(packages));
    missing = await findMissing(tools, probe);
  }
  for (const tool of missing) process.stdout.write(`${adviceFor(tool)}\n`);
  process.stdout.write(missing.length === 0 ? 'passed\n' : 'FAILED\n');
  return missing.length === 0;
}

async function install(packages: readonly string[]): Promise<void> {
  process.stdout.write(`Installing ${packages.join(', ')} …\n`);
  const quietly = ['-y', '-q', '--no-install-recommends', '-o', 'Dpkg::Use-Pty=0'];
  if (await runStep('apt-get', ['update', '-q'])) await runStep('apt-get', ['install', ...quietly, ...packages]);
}

/** Prevents Debian from starting servers on their usual ports after installation. The tests start their own. */
async function withoutStartingServices(body: () => Promise<void>): Promise<void> {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return body();
  await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await body();
  } finally {
    await rm(policy, { force: true });
  }
}
