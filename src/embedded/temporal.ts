import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { listeningPorts } from './listening-ports.ts';
import { freePorts, isListening } from './ports.ts';
import { StartError, diskIsFull, reportsFullDisk } from './start-error.ts';
import { untilReady } from './until-ready.ts';

export interface TemporalOptions {
  /** Path of the Temporal CLI, from servers.ts. */
  executable: string;
  /** SQLite file with all data of the server. */
  dbFile: string;
  port?: number;
  uiPort?: number;
  /** Names and types, such as `Hostname: 'Keyword'`. A workflow that sets an unregistered one hangs. */
  searchAttributes?: Record<string, string>;
  dynamicConfig?: Record<string, string | number | boolean>;
  onProgress: (line: string) => void;
  /** Called if Temporal exits after it was ready without having been stopped. */
  onUnexpectedExit?: (sentence: string) => void;
}

export interface Temporal {
  address: string;
  uiUrl: string;
  /** Every port on which Temporal listens, including the ports between its own services. */
  ports: readonly number[];
  pid: number;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const NAMESPACE = 'default';
const USUAL_PORT = 7233;
const USUAL_UI_PORT = 8233;
const PORT_ATTEMPTS = 5;

/** Starts Temporal's development server on the file, which is created at the first start. */
export async function startTemporal(options: TemporalOptions): Promise<Temporal> {
  await mkdir(dirname(options.dbFile), { recursive: true });
  await keepPrivate(options.dbFile);
  options.onProgress('Starting Temporal …');
  for (let attempt = 1; ; attempt++) {
    // A port can be taken between our check and the start of the server. Then all ports are picked again.
    const wanted = attempt === 1 ? [options.port ?? USUAL_PORT, options.uiPort ?? USUAL_UI_PORT] : [];
    const [port, uiPort, httpPort, metricsPort] = await freePorts([wanted[0], wanted[1], undefined, undefined]);
    const ports = { port, uiPort, httpPort, metricsPort };
    const child = await launch(options, ports);
    try {
      const attributes = Object.keys(options.searchAttributes ?? {});
      await untilReady(child, () => knowsAttributes(httpPort, attributes), {
        onProgress: options.onProgress,
        whyItExited: (how) => whyItExited(how, options.dbFile),
      });
      if (options.onUnexpectedExit !== undefined) child.onUnexpectedExit(options.onUnexpectedExit);
      const { pid, stop } = child;
      const all = [...new Set([...Object.values(ports), ...(await listeningPorts(pid))])];
      return { address: `${HOST}:${port}`, uiUrl: `http://${HOST}:${uiPort}`, ports: all, pid, stop };
    } catch (error) {
      await child.stop();
      if (attempt === PORT_ATTEMPTS || !(await portWasTaken(child, ports))) throw error;
    }
  }
}

/** Makes files of earlier versions private. New files are private from the start. */
async function keepPrivate(file: string): Promise<void> {
  for (const one of [file, `${file}-wal`, `${file}-shm`]) await chmod(one, 0o600).catch(ignoreMissing);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** All ports of the server. Without explicit ports, two servers on one machine could collide. */
interface Ports {
  port: number;
  uiPort: number;
  httpPort: number;
  metricsPort: number;
}

function launch(options: TemporalOptions, ports: Ports): Promise<Child> {
  const { executable, dbFile, searchAttributes = {}, dynamicConfig = {} } = options;
  return startChild({
    name: 'Temporal',
    executable,
    args: [
      ...['server', 'start-dev', '--ip', HOST, '--namespace', NAMESPACE, '--db-filename', dbFile],
      ...['--port', String(ports.port), '--ui-port', String(ports.uiPort)],
      ...['--http-port', String(ports.httpPort), '--metrics-port', String(ports.metricsPort)],
      ...['--log-level', 'warn', '--log-format', 'json'],
      // One fsync per commit instead of four. Postgres restores what a crash of the machine loses.
      ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
      ...pairs('--search-attribute', searchAttributes),
      ...pairs('--dynamic-config-value', dynamicConfig),
    ],
    isPrivate: true,
    stopWith: [{ signal: 'SIGTERM', graceMs: 10_000 }],
  });
}

const pairs = (flag: string, values: Record<string, string | number | boolean>): string[] =>
  Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${String(value)}`]);

/** Whether a port was taken: the output contains the error, or another server still listens. */
async function portWasTaken(child: Child, ports: Ports): Promise<boolean> {
  if (/address already in use|can't set .*port/i.test(child.lastOutput())) return true;
  return (await Promise.all(Object.values(ports).map((port: number) => isListening(port)))).some(Boolean);
}

function whyItExited(how: string, dbFile: string): StartError {
  return reportsFullDisk(how) ? diskIsFull(dirname(dbFile)) : new StartError(`Temporal did not start. ${how}`);
}

const Attributes = z.object({ customAttributes: z.record(z.string(), z.unknown()) });

/** Whether the search attributes are registered, by the HTTP port: on the usual one another Temporal might answer. */
async function knowsAttributes(httpPort: number, names: string[]): Promise<boolean> {
  const url = `http://${HOST}:${httpPort}/api/v1/namespaces/${NAMESPACE}/search-attributes`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    const { customAttributes } = Attributes.parse(await answer.json());
    return names.every((name) => Object.hasOwn(customAttributes, name));
  } catch {
    return false;
  }
}
