import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, isAbsolute, join } from 'node:path';
import { freePort, freePorts } from '../../src/embedded/ports.ts';
import { until } from './until.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The API or a worker in a process of its own, on a database of the test's: from the sources, or as it was built. */
export interface HalfProcess {
  port: number;
  pid: number;
  /** All it printed so far. */
  said(): string;
  exited: Promise<unknown>;
  /** Ends it, politely or not, and tells how it ended. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The API is up once it answers the edge. Nobody is at its Temporal unless one is named. */
export const startApiProcess = (
  databaseUrl: string,
  env: NodeJS.ProcessEnv = {},
  program = 'src/main/api.ts',
): Promise<HalfProcess> =>
  start(program, databaseUrl, env, async (port) => {
    const { status } = await fetch(`http://127.0.0.1:${env['INTERNAL_PORT'] ?? port}/internal/ask`);
    return status === 400;
  });

/** A worker has no public listener: its port is the internal one, which opens once it polls. */
export async function startWorkerProcess(
  databaseUrl: string,
  env: NodeJS.ProcessEnv,
  program = 'src/main/worker.ts',
): Promise<HalfProcess> {
  const port = Number(env['INTERNAL_PORT'] ?? (await freePort()));
  const isHealthy = async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok;
  const worker = await start(program, databaseUrl, { ...env, INTERNAL_PORT: String(port) }, isHealthy);
  return { ...worker, port };
}

/** The agent beside an edge, which answers from its folder also where nobody is at its database. */
export async function startAgentProcess(
  databaseUrl: string,
  {
    folder,
    apiUrl,
    staleFor = '24h',
    ports,
    settings = {},
  }: {
    folder: string;
    apiUrl?: string;
    staleFor?: string;
    /** Where it listens for questions, and by UDP for names; free ones without them. */
    ports?: [port: number, dnsPort: number];
    settings?: NodeJS.ProcessEnv;
  },
  program = 'src/main/edge.ts',
): Promise<HalfProcess> {
  const [port, dnsPort] = ports ?? (await freePorts([undefined, undefined]));
  const env = {
    EDGE_AGENT_PORT: String(port),
    EDGE_AGENT_DNS_PORT: String(dnsPort),
    EDGE_AGENT_DIR: folder,
    EDGE_STALE_FOR: staleFor,
    ORIGIN_ALLOW_PRIVATE: '127.0.0.0/8,::1',
    ...(apiUrl === undefined ? {} : { EDGE_API_URL: apiUrl }),
    ...settings,
  };
  // Up is not healthy: an agent whose database and API are away may have nothing that it can serve.
  const isUp = async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status > 0;
  const agent = await start(program, databaseUrl, env, isUp);
  return { ...agent, port };
}

async function start(
  program: string,
  databaseUrl: string,
  env: NodeJS.ProcessEnv,
  isUp: (port: number) => Promise<boolean>,
): Promise<HalfProcess> {
  const port = Number(env['PORT'] ?? (await freePort()));
  const child = spawn(process.execPath, [program], {
    cwd: isAbsolute(program) ? dirname(program) : ROOT,
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      PORT: String(port),
      CREDENTIAL_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      LOG_LEVEL: 'error',
      LOG_FORMAT: 'json',
      DATABASE_POOL: '8',
      // Nobody: hostnames that a test saves are not asked for on the internet.
      DNS_RESOLVERS: '127.0.0.1:9',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const exited = once(child, 'exit');
  await until(async () => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${program} did not start:\n${said}`);
    return isUp(port).catch(() => false);
  }, 60_000).catch((cause: unknown) => {
    child.kill('SIGKILL');
    throw new Error(`${program} is not up in time:\n${said}`, { cause });
  });
  return {
    port,
    pid: child.pid!,
    said: () => said,
    exited,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await exited;
      return child.exitCode;
    },
  };
}
