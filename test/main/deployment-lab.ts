import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { parseEnv, promisify } from 'node:util';
import pg from 'pg';
import { z } from 'zod';
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
  startAnswererProcess,
  startApiProcess,
  startWorkerProcess,
  type HalfProcess,
} from '../support/fixtures/half-process.ts';
import { startBalancer } from '../support/proxies/balancer.ts';
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
  agent: HalfProcess;
  startAgent(): Promise<HalfProcess>;
  visit(hostname: string): Promise<Visit>;
  /** Returns the issuer of the certificate that the edge shows. */
  issuerAt(hostname: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startDeploymentLab(image: string, more: NodeJS.ProcessEnv = {}): Promise<DeploymentLab> {
  const folder = await mkdtemp(join(tmpdir(), 'lab-'));
  const running: { stop(): Promise<unknown> }[] = [{ stop: () => rm(folder, { recursive: true, force: true }) }];
  const stop = async () => {
    for (const one of running.splice(0).reverse()) await one.stop();
  };
  try {
    return { ...(await start(image, folder, running, more)), stop };
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
  more: NodeJS.ProcessEnv,
): Promise<Omit<DeploymentLab, 'stop'>> {
  const cli = (args: string[], env: NodeJS.ProcessEnv) =>
    promisify(execFile)(process.execPath, [join(image, 'dist/src/cli/main.js'), ...args], { cwd: folder, env });
  const program = (name: string) => join(image, 'dist/src/main', name);
  await cli(['keys', 'make', '--file', '.env'], { NODE_ENV: 'production' });
  const dotEnv = { ...parseEnv(readFileSync(join(folder, '.env'), 'utf8')), ...ADDED, ...more };
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
  const [certPort, answererPort, answererCertPort] = await freePorts([undefined, undefined, undefined]);
  const internalPort = await freePort();
  const feedPorts = [await freePort(), await freePort()] as const;
  const feed = await noted(startBalancer(feedPorts));
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
    ['api:9443', `localhost:${feed.port}`],
    ['/data/log', join(folder, 'edge')],
    ['/data/agent', join(folder, 'agent')],
    ['/data/key', join(folder, 'key')],
    ['/run/edge-path', join(folder, 'path')],
    ['/run/edge-admin', join(folder, 'edge')],
  ];
  const here = (service: string): NodeJS.ProcessEnv => {
    const entries = Object.entries(environmentOf(service, dotEnv)).map(([name, value = '']) => {
      const local = places.reduce((text, [from, to]) => text.replace(from, to), value);
      return [name, /^EDGE_(AGENT|CERT)_HOST$/.test(name) ? '127.0.0.1' : local] as const;
    });
    // The API and the workers have their own logins, and their keys are files.
    const none = { DATABASE_URL: '', CREDENTIAL_KEYS: '' };
    const ports = {
      EDGE_CERT_PORT: String(certPort),
      EDGE_ANSWERER_PORT: String(answererPort),
      EDGE_ANSWERER_CERT_PORT: String(answererCertPort),
    };
    return {
      ...Object.fromEntries(entries),
      ...none,
      ...ports,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      OWN_HOSTS: '',
    };
  };
  const { services } = readCompose();
  const replicas = (service: string) => Array.from({ length: services[service]?.deploy?.replicas ?? 1 });

  await cli(['migrate'], here('migrate'));
  await mkdir(join(folder, 'path'));
  const [shell = '', ...script] = z.array(z.string()).parse(services['edge-path']?.command);
  await promisify(execFile)(
    shell,
    script.map((text) => text.replaceAll('/run/edge-path', join(folder, 'path'))),
  );
  const apis = await Promise.all(
    replicas('api').map(async (_, i) => {
      const port = i === 0 ? internalPort : await freePort();
      const env = { ...here('api'), INTERNAL_PORT: String(port), EDGE_FEED_PORT: String(feedPorts[i]) };
      return noted(startApiProcess('', env, program('api.js')));
    }),
  );
  const startAgent = () =>
    noted(
      startAgentProcess(
        '',
        { folder: join(folder, 'agent'), ports: [agentPort, agentDnsPort], settings: here('edge-agent') },
        program('edge.js'),
      ),
    );
  const agent = await startAgent();
  const answererSettings = { ...here('edge-answerer'), EDGE_ANSWERER_PORT: String(answererPort) };
  await noted(startAnswererProcess(join(folder, 'agent'), answererSettings, program('edge-answerer.js')));
  const caddy = await noted(
    startCaddy({
      executable: await obtainServer('caddy', { onProgress }),
      dataDir: join(folder, 'edge'),
      httpPort,
      httpsPort,
      agent: {
        address: `127.0.0.1:${agentPort}`,
        resolver: `127.0.0.1:${agentDnsPort}`,
        answerer: `127.0.0.1:${answererPort}`,
        certificates: [`127.0.0.1:${certPort}`, `127.0.0.1:${answererCertPort}`],
        segment: readFileSync(join(folder, 'path/segment'), 'utf8'),
      },
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
    agent,
    startAgent,
    issuerAt: (hostname) => issuerAt(httpsPort, hostname),
    visit: (hostname) => visitOver(httpsPort, readFileSync(caddy.caFile ?? '', 'utf8'), hostname),
  };
}

async function issuerAt(port: number, servername: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { issuer } = socket.getPeerCertificate();
  socket.destroy();
  return String(issuer.CN);
}

/** Runs the steps of the script `make-owner` in docker-compose.yml. */
async function makeOwner(serverUrl: string, password: string): Promise<void> {
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  await server.query(`CREATE ROLE svc_owner LOGIN NOSUPERUSER NOCREATEDB CREATEROLE PASSWORD '${password}'`);
  await server.query('CREATE DATABASE service OWNER svc_owner');
  await server.end();
}
