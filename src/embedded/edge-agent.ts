import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { adminOf } from './caddy.ts';
import { startChild, type Child } from './child.ts';
import { toolsDir } from './folders.ts';
import { freePorts, isListening } from './ports.ts';
import { StartError } from './start-error.ts';
import { untilReady } from './until-ready.ts';

export interface EdgeAgentOptions {
  dataDir: string;
  /** URL of the feed on this machine. */
  feedUrl: string;
  /** File with the secret path at which Caddy asks for certificates. */
  segmentFile: string;
  /** Settings that the agent shares with the service. */
  settings: NodeJS.ProcessEnv;
  onProgress: (line: string) => void;
  /** Called with name and process id after each start. A process that exits is restarted. */
  onStart: (name: string, pid: number) => Promise<void>;
}

export interface EdgeAgent {
  /** host:port at which the edge reaches the agent. */
  address: string;
  /** host:port of the agent's DNS server for the names that the edge dials. */
  resolver: string;
  /** host:port at which the second answerer replies while the agent is down. */
  answerer: string;
  /** host:port of the agent and of the second answerer, at which Caddy asks for certificates. */
  certificates: readonly [agent: string, answerer: string];
  /** All ports at which the two listen. */
  ports: readonly number[];
  stop(): Promise<void>;
}

const AGAIN_AFTER_MS = 300;
const HOST = '127.0.0.1';

/** Starts the agent for our own edge and its second answerer, each in a process that is restarted whenever it exits. */
export async function startEdgeAgent(options: EdgeAgentOptions): Promise<EdgeAgent> {
  const [port, dnsPort, certPort, answererPort, answererCertPort] = await freePorts([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  const env = {
    ...options.settings,
    EDGE_AGENT_HOST: HOST,
    EDGE_AGENT_PORT: String(port),
    EDGE_AGENT_DNS_PORT: String(dnsPort),
    EDGE_CERT_HOST: HOST,
    EDGE_CERT_PORT: String(certPort),
    EDGE_ANSWERER_PORT: String(answererPort),
    EDGE_ANSWERER_CERT_PORT: String(answererCertPort),
    EDGE_CERT_SEGMENT_FILE: options.segmentFile,
    EDGE_AGENT_DIR: join(options.dataDir, 'agent'),
    EDGE_ADMIN: adminOf(options.dataDir),
  };
  const ofAgent = { EDGE_FEED_URL: options.feedUrl };
  const agent = await keepRunning(options, { name: 'edge agent', main: 'edge', port, env: { ...env, ...ofAgent } });
  const answerer = await keepRunning(options, {
    name: 'second answerer',
    main: 'edge-answerer',
    port: answererPort,
    env,
  }).catch(async (error: unknown) => {
    await agent.stop();
    throw error;
  });
  return {
    address: `${HOST}:${port}`,
    resolver: `${HOST}:${dnsPort}`,
    answerer: `${HOST}:${answererPort}`,
    certificates: [`${HOST}:${certPort}`, `${HOST}:${answererCertPort}`],
    ports: [port, dnsPort, certPort, answererPort, answererCertPort],
    async stop() {
      await Promise.all([agent.stop(), answerer.stop()]);
    },
  };
}

interface Program {
  name: string;
  /** Its file in src/main, without the extension. */
  main: string;
  /** Port at which it listens once it is ready. */
  port: number;
  env: NodeJS.ProcessEnv;
}

async function keepRunning(options: EdgeAgentOptions, program: Program): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  let child = await launch(options, program);
  const watch = async (): Promise<void> => {
    while (!isStopping()) {
      await child.exited;
      await pause(AGAIN_AFTER_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (isStopping()) return;
      // A failed start is retried. Until then the control plane, or the other process, answers the edge.
      child = await launch(options, program).catch(() => child);
    }
  };
  const running = watch();
  return {
    async stop() {
      stopping.abort();
      await child.stop();
      await running; // so that a process that is just starting is stopped too
      await child.stop();
    },
  };
}

async function launch({ onProgress, onStart }: EdgeAgentOptions, { name, main, port, env }: Program): Promise<Child> {
  const file = join(toolsDir(), '../src/main', `${main}${import.meta.filename.endsWith('.ts') ? '.ts' : '.js'}`);
  const child = await startChild({
    name: `The ${name}`,
    executable: process.execPath,
    args: [file],
    env,
    stopWith: [{ signal: 'SIGTERM', graceMs: 12_000 }],
  });
  try {
    await untilReady(child, () => isListening(port, HOST), { onProgress, whyItExited: (how) => new StartError(how) });
    await onStart(`the ${name}`, child.pid);
    return child;
  } catch (error) {
    await child.stop();
    throw error;
  }
}
