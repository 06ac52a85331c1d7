import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startCaddy } from '../../src/embedded/caddy.ts';
import { cacheDir } from '../../src/embedded/places.ts';
import { freePort, freePorts } from '../../src/embedded/ports.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { obtainServer } from '../../src/embedded/servers.ts';
import { environmentOf, readCompose } from './compose.ts';
import { SUPERUSER_URL_VARIABLE } from './database.ts';
import { visitOver, type Visit } from './edge-laboratory.ts';
import { startAgentProcess, startApiProcess, startWorkerProcess, type HalfProcess } from './half-process.ts';
import { TemporalOnPostgres } from './temporal-on-postgres.ts';

const ROOT = join(import.meta.dirname, '../..');
const onProgress = () => undefined;
const key = (kid: string) => `${kid}:${Buffer.alloc(32, 9).toString('base64')}`;

/** What an operator writes into .env, and for a machine without a public address. */
const DOT_ENV: NodeJS.ProcessEnv = {
  CREDENTIAL_KEYS: key('k1'),
  WIDGET_TOKEN_KEYS: key('w1'),
  CURSOR_KEY: key('c1'),
  POSTGRES_PASSWORD: 'owners',
  API_DATABASE_PASSWORD: 'apis',
  WORKER_DATABASE_PASSWORD: 'workers',
  EDGE: 'internal',
  ORIGIN_ALLOW_PRIVATE: '127.0.0.0/8,::1',
  DNS_RESOLVERS: '127.0.0.1:9',
  RATE_LIMIT_KEY: '0',
};

/** The services of docker-compose.yml as processes of the built service, on this machine's loopback. */
export interface Topology {
  /** The superuser's, which no process is given. */
  databaseUrl: string;
  temporal: TemporalOnPostgres;
  apis: HalfProcess[];
  workers: HalfProcess[];
  startWorker(): Promise<HalfProcess>;
  visit(hostname: string): Promise<Visit>;
  stop(): Promise<void>;
}

export async function startTopology(): Promise<Topology> {
  const folder = await mkdtemp(join(tmpdir(), 'topology-'));
  const running: { stop(): Promise<unknown> }[] = [{ stop: () => rm(folder, { recursive: true, force: true }) }];
  const stop = async () => {
    for (const one of running.splice(0).reverse()) await one.stop();
  };
  try {
    return { ...(await start(folder, running)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What it started stands in `running`, in this order. */
async function start(folder: string, running: { stop(): Promise<unknown> }[]): Promise<Omit<Topology, 'stop'>> {
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
  await makeOwner(postgres.url);
  const [httpPort, httpsPort, agentPort, agentDnsPort] = await freePorts([undefined, undefined, undefined, undefined]);
  const internalPort = await freePort();
  /** Names of compose's network are addresses here. The embedded superuser is called svc, so the owner is not. */
  const places: [name: string, here: string][] = [
    ['//svc:', '//svc_owner:'],
    ['postgres:5432', `127.0.0.1:${postgres.port}`],
    ['temporal:7233', temporal.address],
    ['edge:443', `127.0.0.1:${httpsPort}`],
    ['api:9090', `127.0.0.1:${internalPort}`],
    ['/data/log', join(folder, 'edge')],
    ['/data/agent', join(folder, 'agent')],
  ];
  const here = (service: string): NodeJS.ProcessEnv => {
    const entries = Object.entries(environmentOf(service, DOT_ENV)).map(([name, value = '']) => {
      const local = places.reduce((text, [from, to]) => text.replace(from, to), value);
      return [name, name === 'EDGE_AGENT_HOST' ? '127.0.0.1' : local] as const;
    });
    return { ...Object.fromEntries(entries), NODE_ENV: 'production', HOST: '127.0.0.1' };
  };
  const urlOf = (env: NodeJS.ProcessEnv): string => env['DATABASE_URL'] ?? env['API_DATABASE_URL'] ?? '';
  const { services } = readCompose();
  const replicas = (service: string) => Array.from({ length: services[service]?.deploy?.replicas ?? 1 });

  await promisify(execFile)(process.execPath, ['dist/src/cli/main.js', 'migrate'], {
    cwd: ROOT,
    env: { ...process.env, ...here('migrate') },
  });
  const apis = await Promise.all(
    replicas('api').map(async (_, i) => {
      const port = i === 0 ? internalPort : await freePort();
      const env = { ...here('api'), INTERNAL_PORT: String(port) };
      return noted(startApiProcess(urlOf(env), env, 'dist/src/main/api.js'));
    }),
  );
  const agentEnv = here('edge-agent');
  await noted(
    startAgentProcess(
      urlOf(agentEnv),
      { folder: join(folder, 'agent'), ports: [agentPort, agentDnsPort], settings: agentEnv },
      'dist/src/main/edge.js',
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
    return noted(startWorkerProcess(urlOf(env), env, 'dist/src/main/worker.js'));
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

/** What the script `make-owner` of docker-compose.yml does. */
async function makeOwner(serverUrl: string): Promise<void> {
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  await server.query(`CREATE ROLE svc_owner LOGIN NOSUPERUSER NOCREATEDB CREATEROLE PASSWORD 'owners'`);
  await server.query('CREATE DATABASE service OWNER svc_owner');
  await server.end();
}
