import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSystemTools } from '../runner/system-tools.ts';
import { Engine } from './engine.ts';
import { TrialNetwork } from './network.ts';
import { Report } from './report.ts';
import { buildSubstitutes } from './substitutes.ts';
import { SteadyLoad } from './steady-load.ts';
import { Stranger } from './stranger.ts';
import { CONTAINER_TOOLS } from './tools.ts';
import { changes, downAndUp } from './trials/changes.ts';
import { failures, healthChecks } from './trials/failures.ts';
import { firstHour, HOSTNAME } from './trials/first-hour.ts';
import { rules } from './trials/rules.ts';

/**
 * `npm run test:containers` brings the unmodified docker-compose.yml up in a network of its own and follows README and
 * the documentation for operators as a stranger would. It needs root on Debian and about half an hour.
 */
const say = (line: string) => void process.stdout.write(`${line}\n`);
if (!(await ensureSystemTools(CONTAINER_TOOLS))) process.exit(1);
const folder = await mkdtemp(join(tmpdir(), 'containers-'));
const report = new Report();
const network = await TrialNetwork.create();
try {
  const engine = await Engine.start(network, folder, say);
  await buildSubstitutes(engine, join(folder, 'substitutes'), say);
  const stranger = new Stranger(engine, network, folder);
  await stranger.clone();
  await firstHour(report, stranger);
  await rules(report, stranger);
  const load = new SteadyLoad(network, {
    url: `http://127.0.0.1:8080/v1/connections/${stranger.shell['CONNECTION']}`,
    key: stranger.shell['TEST_KEY'] ?? '',
    hostname: HOSTNAME,
    ca: join(stranger.folder, 'root.crt'),
  });
  try {
    await failures(report, stranger, load);
    await changes(report, stranger, load);
  } finally {
    load.stop();
  }
  await healthChecks(report, stranger);
  await downAndUp(report, stranger);
  await stranger.types('docker compose down --volumes');
} finally {
  await network.remove();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = report.print() ? 0 : 1;
