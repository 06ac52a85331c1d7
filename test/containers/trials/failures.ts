import { waitUntil } from '../../../src/embedded/wait-until.ts';
import { expect, type Report } from '../report.ts';
import type { Answers, SteadyLoad } from '../steady-load.ts';
import type { Container, Stranger } from '../stranger.ts';

/** Long-running services, with what may fail while one container of each is away. */
const SERVICES: readonly { service: string; mayFail: readonly ('api' | 'site')[] }[] = [
  { service: 'front', mayFail: ['api'] },
  { service: 'api', mayFail: [] },
  { service: 'worker', mayFail: [] },
  { service: 'edge', mayFail: ['site'] },
  { service: 'edge-agent', mayFail: [] },
  { service: 'edge-answerer', mayFail: [] },
  { service: 'postgres', mayFail: ['api'] },
  { service: 'temporal', mayFail: [] },
  { service: 'temporal-postgres', mayFail: [] },
  { service: 'prometheus', mayFail: [] },
];
/** Requests that were in a process when it was killed are lost with it. */
const LOST_WITH_A_PROCESS = 2;
const BACK_MS = 180_000;

export async function failures(report: Report, stranger: Stranger, load: SteadyLoad): Promise<void> {
  for (const { service, mayFail } of SERVICES) {
    await report.trial(`Kill the first process of \`${service}\``, () =>
      underLoad(load, mayFail, LOST_WITH_A_PROCESS, () => kill(stranger, service)),
    );
  }
  for (const { service, mayFail } of SERVICES) {
    await report.trial(`Stop and start \`${service}\``, () =>
      underLoad(load, mayFail, 0, () => stopAndStart(stranger, service)),
    );
  }
}

/** Describes what failed, and throws if something failed that may not. */
export async function underLoad(
  load: SteadyLoad,
  mayFail: readonly string[],
  most: number,
  body: () => Promise<void>,
): Promise<string> {
  const { api, site } = await load.during(body);
  const text = `API ${textOf(api)}, site ${textOf(site)}`;
  for (const [kind, answers] of [
    ['api', api],
    ['site', site],
  ] as const)
    expect(mayFail.includes(kind) || failedOf(answers) <= most, text);
  return text;
}

const failedOf = ({ failed }: Answers): number => [...failed.values()].reduce((sum, count) => sum + count, 0);

const textOf = (answers: Answers): string => {
  const kinds = [...answers.failed].map(([seen, count]) => `${count} × ${seen}`).join(', ');
  return `${failedOf(answers)} of ${answers.sent} failed${kinds === '' ? '' : ` (${kinds})`}`;
};

async function kill(stranger: Stranger, service: string): Promise<void> {
  const [victim] = await stranger.containers(service);
  expect(victim !== undefined, `No container of ${service} runs.`);
  process.kill(victim.State.Pid, 'SIGKILL');
  await untilWell(stranger, service, (now) => {
    const same = now.find(({ Id }) => Id === victim.Id);
    return same !== undefined && same.State.Pid !== victim.State.Pid;
  });
}

/** Docker kills a container after its grace period, which compose has set. It has another exit code then. */
async function stopAndStart(stranger: Stranger, service: string): Promise<void> {
  const [victim] = await stranger.containers(service);
  expect(victim !== undefined, `No container of ${service} runs.`);
  await stranger.types(`docker stop ${victim.Id}`);
  const stopped = (await stranger.containers(service)).find(({ Id }) => Id === victim.Id);
  expect(stopped?.State.ExitCode !== 137, `${service} did not stop within its grace period.`);
  await stranger.types(`docker start ${victim.Id}`);
  await untilWell(stranger, service);
}

/** Waits until every container of a service runs and is healthy, if it has a check. */
async function untilWell(
  stranger: Stranger,
  service: string,
  more: (containers: Container[]) => boolean = () => true,
): Promise<void> {
  const isWell = await waitUntil(async () => {
    const containers = await stranger.containers(service);
    const well = containers.every(
      ({ State }) => State.Status === 'running' && (State.Health?.Status ?? 'healthy') === 'healthy',
    );
    return well && more(containers);
  }, BACK_MS);
  expect(isWell, `${service} is not well after ${BACK_MS / 1_000} seconds.`);
}

/** Frozen together, because none of them needs another of its group. */
const FROZEN = [['api', 'worker', 'edge-answerer'], ['edge-agent'], ['front', 'edge'], ['postgres']];

/** A process that is frozen does not answer: its container must become unhealthy, and healthy again afterwards. */
export async function healthChecks(report: Report, stranger: Stranger): Promise<void> {
  for (const group of FROZEN) {
    await report.trial(`Freeze and thaw \`${group.join('`, `')}\``, async () => {
      const victims = await Promise.all(
        group.map(async (service) => ({ service, one: (await stranger.containers(service))[0]! })),
      );
      const statusOf = async ({ service, one }: (typeof victims)[number]) =>
        (await stranger.containers(service)).find(({ Id }) => Id === one.Id)?.State.Health?.Status;
      const all = (status: string) =>
        waitUntil(async () => (await Promise.all(victims.map(statusOf))).every((seen) => seen === status), BACK_MS);
      for (const { one } of victims) process.kill(one.State.Pid, 'SIGSTOP');
      const noticed = await all('unhealthy');
      const seen = await Promise.all(victims.map(statusOf));
      for (const { one } of victims) process.kill(one.State.Pid, 'SIGCONT');
      expect(noticed, `Frozen: ${seen.join(', ')}.`);
      expect(await all('healthy'), 'Not healthy again.');
      return 'unhealthy, then healthy';
    });
  }
}
