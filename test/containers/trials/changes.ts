import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '../../../src/embedded/wait-until.ts';
import { codeBlock } from '../../support/code-blocks.ts';
import { expect, type Report } from '../report.ts';
import type { SteadyLoad } from '../steady-load.ts';
import type { Stranger } from '../stranger.ts';
import { underLoad } from './failures.ts';
import { HOSTNAME, untilLive, VISIT } from './first-hour.ts';

const SERIAL = `echo | openssl s_client -connect 127.0.0.1:443 -servername ${HOSTNAME} 2>/dev/null | openssl x509 -noout -serial`;

/** Changes that operators make to a running deployment: more processes, another version, down and up. */
export async function changes(report: Report, stranger: Stranger, load: SteadyLoad): Promise<void> {
  await report.trial('Scale `api` and `worker` to three, and back to two', () =>
    underLoad(load, [], 0, async () => {
      const scale = (count: number) =>
        stranger.types(
          `docker compose up -d --no-deps --no-recreate --scale api=${count} --scale worker=${count} --wait api worker`,
        );
      await scale(3);
      expect((await stranger.containers('api')).length === 3, 'There are not three.');
      await scale(2);
    }),
  );
  await report.trial('Upgrade to a build with a changed workflow and a new build id, as in the runbook', () =>
    underLoad(load, [], 0, () => upgrade(stranger)),
  );
  await report.trial('After the upgrade, new and old connections continue', async () => {
    const hostname = 'shop-2.auto.test';
    const { id = '' } = await stranger.calls('POST', '/connections', {
      application_id: stranger.shell['TEST_APPLICATION'],
      hostname,
    });
    await untilLive(stranger, id);
    const query = `WorkflowId = "connection/${hostname}/${id}" AND TemporalChangeVersion = "${PATCH}"`;
    const isNew = await waitUntil(
      async () => /\b1$/.test(await stranger.types(`${TEMPORAL} workflow count --query '${query}'`)),
      30_000,
    );
    expect(isNew, 'The new connection ran the old workflow.');
    await stranger.calls('POST', `/connections/${stranger.shell['CONNECTION']}/records:check`);
    return `${await untilLive(stranger, stranger.shell['CONNECTION'] ?? '')}; the new run has the new step`;
  });
}

const PATCH = 'trial-of-the-containers';
const BUILD_ID = 'trial-2';
const TEMPORAL = 'docker compose run --rm --no-deps --entrypoint temporal temporal-namespace';

/** Adds a step to the workflow of connections, gives the workers a new build id, and runs the runbook's commands. */
async function upgrade(stranger: Stranger): Promise<void> {
  const file = join(stranger.folder, 'workflows/connection.ts');
  const code = await readFile(file, 'utf8');
  const changed = code
    .replace('CancellationScope, condition }', 'CancellationScope, condition, patched }')
    .replace('  const inbox =', `  patched('${PATCH}');\n  const inbox =`);
  expect(changed.includes('patched }') && changed.includes(PATCH), 'workflows/connection.ts could not be changed.');
  await writeFile(file, changed);
  await stranger.edits({ WORKER_DEPLOYMENT_NAME: 'connections', WORKER_BUILD_ID: BUILD_ID });
  stranger.shell['WORKER_BUILD_ID'] = BUILD_ID;
  const before = (await stranger.containers('worker')).map(({ Id }) => Id);
  const build = 'docker build -t domain-connection-service .\ndocker compose run --rm migrate\n';
  for (const next of ['docker compose up', 'for service'])
    await stranger.types(codeBlock('docs/runbooks/upgrade-and-roll-back.md', `${build}${next}`).code);
  const after = await stranger.containers('worker');
  expect(after.length === 2 && after.every(({ Id }) => !before.includes(Id)), 'Not every worker was replaced.');
  const deployment = await stranger.types(`${TEMPORAL} worker deployment describe --name connections --output json`);
  expect(deployment.includes(BUILD_ID), 'Temporal does not know the new build.');
}

/** Runs without load, because nothing answers in between. */
export async function downAndUp(report: Report, stranger: Stranger): Promise<void> {
  await report.trial('`docker compose down`, then `up`: all data is kept', async () => {
    const serial = await stranger.types(SERIAL);
    await stranger.types('docker compose down');
    expect((await stranger.types('docker compose ps --quiet')) === '', 'Containers still run.');
    await stranger.types('docker compose up -d --wait');
    const { state } = await stranger.calls('GET', `/connections/${stranger.shell['CONNECTION']}`);
    expect(state === 'live', `The connection is ${state}.`);
    const [page, after] = [await stranger.types(VISIT), await stranger.types(SERIAL)];
    expect(page.startsWith('origin of') && after === serial, `${page.slice(0, 80)}; ${serial} became ${after}`);
    return 'live, and served with the same certificate';
  });
}
