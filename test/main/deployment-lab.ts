import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import pg from 'pg';
import { startCaddy } from '../../src/embedded/caddy.ts';
import { cacheDir } from '../../src/embedded/folders.ts';
import { freePort, freePorts } from '../../src/embedded/ports.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { obtainServer } from '../../src/embedded/servers.ts';
import { environmentOf, readCompose } from '../support/fixtures/compose.ts';
import { SUPERUSER_URL_VARIABLE } from '../support/fixtures/database.ts';
import { visitOver, type Visit } from '../support/fixtures/edge-lab.ts';
import {
  startAgentProcess,
  startApiProcess,
  startWorkerProcess,
  type HalfProcess,
} from '../support/fixtures/half-process.ts';
import { TemporalOnPostgres } from '../support/servers/temporal-on-postgres.ts';

const onProgress = () => undefined;

/** Settings that an operator adds to the output of `cli keys make`, for a machine without a public address. */
const ADDED: NodeJS.ProcessEnv = {
  EDGE: 'internal',
  EDGE_CNAME_TARGET: 'edge.example.com',
  ORIGIN_ALLOW_PRIVATE: '127.0.0.0/8,::1',
  DNS_RESOLVERS: '127.0.0.1:9',
  RATE_LIMIT_KEY: '0',
};

/** The services of docker-compose.yml as processes from the image's content, on this machine's loopback. */
export interface DeploymentLab {
  /** The superuser's URL, which no process gets. */
  databaseUrl: string;
  temporal: TemporalOnPostgres;
  apis: HalfProcess[];
  workers: HalfProcess[];
  startWorker(): Promise<HalfProcess>;
  visit(hostname: string): Promise<Visit>;
  stop(): Promise<void>;
}

export async function startDeploymentLab(image: string): Promise<DeploymentLab> {
  const folder = await mkdtemp(join(tmpdir(), 'lab-'));
  const running: { stop(): Promise<unknown> }[] = [{ stop: () => rm(folder, { recursive: true, force: true }) }];
  const stop = async () => {
    for (const one of running.splice(0).reverse()) await one.stop();
  };
  try {
    return { ...(await start(image, folder, running)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the services and adds each to `running`, in this order. */
async function start(
  image: string,
  folder: string,
  running: { stop(): Promise<unknown> }[],
): Promise<Omit<DeploymentLab, 'stop'>> {
  const cli = (args: string[], env: NodeJS.ProcessEnv) =>
    promisify(execFile)(process.execPath, [join(image, 'dist/src/cli/main.js'), ...args], { cwd: folder, env });
  const program = (name: string) => join(image, 'dist/src/main', name);
  await cli(['keys', 'make', '--file', '.env'], { NODE_ENV: 'production' });
  const dotEnv = { ...parseEnv(readFileSync(join(folder, '.env'), 'utf8')), ...ADDED };
  const noted = async <T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> => {
    const one = await starting;
    running.push(one);
    return one;
  };
  const postgres = await noted(
    startPostgres({
      dataDir: join(folder, 'postgres'),
      cacheDir: cacheDir(),
      password: 'superuser',
      settings: { max_connections: '200' },
      durable: false,
      onProgress,
    }),
  );
  const temporal = await noted(TemporalOnPostgres.start(process.env[SUPERUSER_URL_VARIABLE]!, folder));
  await makeOwner(postgres.url, readFileSync(join(folder, 'secrets/POSTGRES_PASSWORD'), 'utf8').trim());
  const [httpPort, httpsPort, agentPort, agentDnsPort] = await freePorts([undefined, undefined, undefined, undefined]);
  const internalPort = await freePort();
  /**
   * Addresses on this machine for the hostnames of compose's network. The owner is renamed, because the embedded
   * superuser is already called svc.
   */
  const places: [name: string, here: string][] = [
    ['//svc@', '//svc_owner@'],
    ['/run/secrets', join(folder, 'secrets')],
    ['postgres:5432', `127.0.0.1:${postgres.port}`],
    ['temporal:7233', temporal.address],
    ['edge:443', `127.0.0.1:${httpsPort}`],
    ['api:9090', `127.0.0.1:${internalPort}`],
    ['/data/log', join(folder, 'edge')],
    ['/data/agent', join(folder, 'agent')],
  ];
  const here = (service: string): NodeJS.ProcessEnv => {
    const entries = Object.entries(environmentOf(service, dotEnv)).map(([name, value = '']) => {
      const local = places.reduce((text, [from, to]) => text.replace(from, to), value);
      return [name, name === 'EDGE_AGENT_HOST' ? '127.0.0.1' : local] as const;
    });
    // The API and the workers have their own logins, and their keys are files.
    const none = { DATABASE_URL: '', CREDENTIAL_KEYS: '' };
    return { ...Object.fromEntries(entries), ...none, NODE_ENV: 'production', HOST: '127.0.0.1', OWN_HOSTS: '' };
  };
  const { services } = readCompose();
  const replicas = (service: string) => Array.from({ length: services[service]?.deploy?.replicas ?? 1 });

  await cli(['migrate'], here('migrate'));
  const apis = await Promise.all(
    replicas('api').map(async (_, i) => {
      const port = i === 0 ? internalPort : await freePort();
      const env = { ...here('api'), INTERNAL_PORT: String(port) };
      return noted(startApiProcess('', env, program('api.js')));
    }),
  );
  await noted(
    startAgentProcess(
      '',
      { folder: join(folder, 'agent'), ports: [agentPort, agentDnsPort], settings: here('edge-agent') },
      program('edge.js'),
    ),
  );
  const caddy = await noted(
    startCaddy({
      executable: await obtainServer('caddy', { onProgress }),
      dataDir: join(folder, 'edge'),
      httpPort,
      httpsPort,
      agent: { address: `127.0.0.1:${agentPort}`, resolver: `127.0.0.1:${agentDnsPort}` },
      control: `127.0.0.1:${internalPort}`,
      issuer: { kind: 'internal' },
      onProgress,
    }),
  );
  const startWorker = async () => {
    const own = {
      INTERNAL_PORT: String(await freePort()),
      EDGE_LOG_FILE: caddy.logFile,
      EDGE_CA_FILE: caddy.caFile ?? '',
    };
    const env = { ...here('worker'), ...own };
    return noted(startWorkerProcess('', env, program('worker.js')));
  };
  const workers = await Promise.all(replicas('worker').map(startWorker));
  return {
    databaseUrl: postgres.url.replace(/postgres$/, 'service'),
    temporal,
    apis,
    workers,
    startWorker,
    visit: (hostname) => visitOver(httpsPort, readFileSync(caddy.caFile ?? '', 'utf8'), hostname),
  };
}

/** Runs the steps of the script `make-owner` in docker-compose.yml. */
async function makeOwner(serverUrl: string, password: string): Promise<void> {
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  await server.query(`CREATE ROLE svc_owner LOGIN NOSUPERUSER NOCREATEDB CREATEROLE PASSWORD '${password}'`);
  await server.query('CREATE DATABASE service OWNER svc_owner');
  await server.end();
}
