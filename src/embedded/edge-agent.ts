import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild, type Child } from './child.ts';
import { toolsDir } from './folders.ts';
import { freePorts, isListening } from './ports.ts';
import { StartError } from './start-error.ts';
import { untilReady } from './until-ready.ts';

export interface EdgeAgentOptions {
  dataDir: string;
  apiUrl: string;
  databaseUrl: string;
  /** Settings that the agent shares with the service. */
  settings: NodeJS.ProcessEnv;
  onProgress: (line: string) => void;
  /** Called with the process id after each start. The agent is restarted if it exits. */
  onStart: (pid: number) => Promise<void>;
}

export interface EdgeAgent {
  /** host:port at which the edge reaches the agent. */
  address: string;
  /** host:port of the agent's DNS server for the names that the edge dials. */
  resolver: string;
  stop(): Promise<void>;
}

const AGAIN_AFTER_MS = 300;
const HOST = '127.0.0.1';

/** Starts the agent for our own edge, in a separate process, and restarts it whenever it exits. */
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
      // A failed start is retried. Until then the control plane answers the edge.
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
      await running; // so that an agent that is just starting is stopped too
      await child.stop();
    },
  };
}

async function launch(
  { dataDir, apiUrl, databaseUrl, settings, onProgress, onStart }: EdgeAgentOptions,
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
    await untilReady(child, () => isListening(port, HOST), { onProgress, whyItExited: (how) => new StartError(how) });
    await onStart(child.pid);
    return child;
  } catch (error) {
    await child.stop();
    throw error;
  }
}
