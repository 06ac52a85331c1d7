import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild, type Child } from './child.ts';
import { toolsDir } from './places.ts';
import { freePorts, isListening } from './ports.ts';
import { StartError } from './start-error.ts';
import { waitUntil } from './wait-until.ts';

export interface EdgeAgentOptions {
  dataDir: string;
  /** Where the API answers, as a URL. */
  apiUrl: string;
  databaseUrl: string;
  /** Settings that the agent shares with the service. */
  settings: NodeJS.ProcessEnv;
  /** Its process after each start: it is started again should it end. */
  onStart: (pid: number) => Promise<void>;
}

export interface EdgeAgent {
  /** host:port where it answers the edge. */
  address: string;
  /** host:port where it answers for the names that the edge dials. */
  resolver: string;
  stop(): Promise<void>;
}

const READY_LIMIT_MS = 30_000;
const AGAIN_AFTER_MS = 300;
const HOST = '127.0.0.1';

/** Starts the agent beside an edge of our own, in a process of its own, and again whenever it ends by itself. */
export async function startEdgeAgent(options: EdgeAgentOptions): Promise<EdgeAgent> {
  const [port, dnsPort] = await freePorts([undefined, undefined]);
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  let child = await launch(options, port, dnsPort);
  const keepRunning = async (): Promise<void> => {
    while (!isStopping()) {
      await child.exited;
      await pause(AGAIN_AFTER_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (isStopping()) return;
      // One that does not start is tried again; until then the control plane answers the edge.
      child = await launch(options, port, dnsPort).catch(() => child);
    }
  };
  const running = keepRunning();
  return {
    address: `${HOST}:${port}`,
    resolver: `${HOST}:${dnsPort}`,
    async stop() {
      stopping.abort();
      await child.stop();
      await running; // one that was just being started is stopped too
      await child.stop();
    },
  };
}

async function launch(
  { dataDir, apiUrl, databaseUrl, settings, onStart }: EdgeAgentOptions,
  port: number,
  dnsPort: number,
): Promise<Child> {
  const main = join(toolsDir(), '../src/main', import.meta.filename.endsWith('.ts') ? 'edge.ts' : 'edge.js');
  const child = await startChild({
    name: 'The edge agent',
    executable: process.execPath,
    args: [main],
    env: {
      ...settings,
      EDGE_AGENT_HOST: HOST,
      EDGE_AGENT_PORT: String(port),
      EDGE_AGENT_DNS_PORT: String(dnsPort),
      EDGE_AGENT_DIR: join(dataDir, 'agent'),
      EDGE_API_URL: apiUrl,
      API_DATABASE_URL: databaseUrl,
    },
    stopWith: [{ signal: 'SIGTERM', graceMs: 12_000 }],
  });
  try {
    const isReady = await waitUntil(async () => {
      if (child.hasExited()) throw new StartError(await child.exited);
      return isListening(port, HOST);
    }, READY_LIMIT_MS);
    if (!isReady) throw new StartError(`The edge agent does not listen on port ${port}. ${child.lastOutput()}`);
    await onStart(child.pid);
    return child;
  } catch (error) {
    await child.stop();
    throw error;
  }
}
