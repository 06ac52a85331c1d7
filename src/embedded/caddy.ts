import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { toolsDir } from './places.ts';
import { freePorts, isListening } from './ports.ts';
import { runTool, lastLines } from './run-tool.ts';
import { StartError } from './start-error.ts';
import { waitUntil } from './wait-until.ts';

export interface CaddyOptions {
  /** Caddy, from servers.ts. */
  executable: string;
  /** Certificates, keys, the log and the authority's root. */
  dataDir: string;
  /** The address it listens on; this machine's loopback without one. */
  bind?: string;
  httpPort?: number | undefined;
  httpsPort?: number | undefined;
  /** Taken where they are free and no port was asked for: those of the run before. */
  usualPorts?: readonly [http: number | undefined, https: number | undefined];
  /** The agent, which answers /internal/ask and /internal/route; the control plane does where there is none. */
  agent?: { address: string; resolver: string };
  /** host:port of the control plane's listener for the same questions. */
  control: string;
  issuer: { kind: 'internal' } | AcmeIssuer;
  /** Such as `h1 h2`; HTTP/3 too without them. */
  protocols?: string;
  /** A folder with further global options, each file `*.caddyfile`. */
  optionsDir?: string;
  /** Further lines for TLS to origins, such as a private authority to trust. */
  originTls?: string;
  onProgress: (line: string) => void;
  /** Called should it end after it was ready without having been stopped. */
  onUnexpectedExit?: (sentence: string) => void;
}

interface AcmeIssuer {
  kind: 'acme';
  directoryUrl: string;
  /** Of a second authority, for what the first refuses. */
  fallbackUrl?: string | undefined;
  caFile?: string | undefined;
  email?: string | undefined;
}

export interface Caddy {
  /** Where its listeners are reached from this machine, as in a URL. */
  host: string;
  httpPort: number;
  httpsPort: number;
  /** On the loopback address, whatever the others are on. */
  metricsPort: number;
  /** The root of its own authority; null where a public one issues. */
  caFile: string | null;
  logFile: string;
  pid: number;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const PORT_ATTEMPTS = 5;
const READY_LIMIT_MS = 20_000;

/** Starts the edge of src/edge/Caddyfile on this machine. */
export async function startCaddy(options: CaddyOptions): Promise<Caddy> {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  options.onProgress('Starting the edge …');
  for (let attempt = 1; ; attempt++) {
    // A port can be taken between our look and the server's start; those that were not asked for are then picked anew.
    const [usualHttp, usualHttps] = attempt === 1 ? (options.usualPorts ?? []) : [];
    const [httpPort, httpsPort, metricsPort] = await freePorts([
      options.httpPort ?? usualHttp,
      options.httpsPort ?? usualHttps,
      undefined,
    ]);
    refuseOtherPort('EDGE_HTTP_PORT', options.httpPort, httpPort);
    refuseOtherPort('EDGE_HTTPS_PORT', options.httpsPort, httpsPort);
    const environment = environmentOf(options, httpPort, httpsPort, metricsPort);
    const child = await launch(options.executable, environment);
    try {
      await untilReady(child, options, environment, [httpPort, httpsPort]);
      if (options.onUnexpectedExit !== undefined) child.onUnexpectedExit(options.onUnexpectedExit);
      const caFile = options.issuer.kind === 'internal' ? await shareRoot(options.dataDir) : null;
      const logFile = environment['EDGE_LOG_FILE'] ?? '';
      const host = inUrl(reachedAt(options));
      return { host, httpPort, httpsPort, metricsPort, caFile, logFile, pid: child.pid, stop: child.stop };
    } catch (error) {
      await child.stop();
      if (!(error instanceof PortWasTaken) || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

class PortWasTaken extends StartError {}

function refuseOtherPort(setting: string, wanted: number | undefined, got: number): void {
  if (wanted !== undefined && wanted !== got)
    throw new StartError(`Port ${wanted} is taken by another program. Set ${setting}, or stop it.`);
}

/** An edge that listens everywhere listens on the loopback address too. */
function reachedAt({ bind = LOOPBACK }: CaddyOptions): string {
  if (bind === '0.0.0.0') return LOOPBACK;
  return bind === '::' ? '::1' : bind;
}

const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/** Found when it is needed: an image runs the same code and has no checkout around it. */
const caddyfile = (): string[] => [
  '--config',
  join(dirname(toolsDir()), 'src/edge/Caddyfile'),
  '--adapter',
  'caddyfile',
];

const launch = (executable: string, env: NodeJS.ProcessEnv): Promise<Child> =>
  startChild({
    name: 'The edge (Caddy)',
    executable,
    args: ['run', ...caddyfile()],
    env,
    stopWith: [{ signal: 'SIGTERM', graceMs: 15_000 }],
  });

/** Nothing of our own environment but what a program needs to run: it holds secrets. */
function environmentOf(
  options: CaddyOptions,
  httpPort: number,
  httpsPort: number,
  metricsPort: number,
): NodeJS.ProcessEnv {
  const { dataDir, bind = LOOPBACK, control, agent, issuer, protocols, optionsDir, originTls } = options;
  return {
    PATH: process.env['PATH'],
    HOME: dataDir,
    XDG_DATA_HOME: join(dataDir, 'data'),
    XDG_CONFIG_HOME: join(dataDir, 'config'),
    EDGE: issuer.kind === 'acme' && issuer.fallbackUrl !== undefined ? 'acme-fallback' : issuer.kind,
    // Requests leave much garbage and the heap is small: collected as usual, it takes a tenth of the processor time.
    GOGC: '400',
    EDGE_ADMIN: 'off',
    EDGE_BIND: inUrl(bind),
    EDGE_ASK: agent?.address ?? control,
    EDGE_ROUTE: agent === undefined ? control : `${agent.address} ${control}`,
    ...(agent === undefined ? {} : { EDGE_DIAL_RESOLVER: agent.resolver }),
    EDGE_HTTP_PORT: String(httpPort),
    EDGE_HTTPS_PORT: String(httpsPort),
    ...(httpsPort === 443 ? {} : { EDGE_HTTPS_SUFFIX: `:${httpsPort}` }),
    EDGE_METRICS_PORT: String(metricsPort),
    EDGE_LOG_FILE: join(dataDir, 'edge.log'),
    EDGE_STORAGE: join(dataDir, 'storage'),
    ...(protocols === undefined ? {} : { EDGE_PROTOCOLS: protocols }),
    ...(optionsDir === undefined ? {} : { EDGE_OPTIONS: optionsDir }),
    ...(originTls === undefined ? {} : { EDGE_ORIGIN_TLS: originTls }),
    ...(issuer.kind === 'acme' ? acmeSettings(issuer) : {}),
  };
}

function acmeSettings({ directoryUrl, fallbackUrl, caFile, email }: AcmeIssuer): NodeJS.ProcessEnv {
  const lines = [
    ...(email === undefined ? [] : [`email ${email}`]),
    ...(caFile === undefined ? [] : [`trusted_roots "${caFile}"`]),
  ];
  const options = lines.join('\n');
  return {
    ACME_DIRECTORY_URL: directoryUrl,
    ACME_OPTIONS: options,
    ...(fallbackUrl === undefined ? {} : { ACME_FALLBACK_DIRECTORY_URL: fallbackUrl, ACME_FALLBACK_OPTIONS: options }),
  };
}

async function untilReady(
  child: Child,
  options: CaddyOptions,
  environment: NodeJS.ProcessEnv,
  ports: number[],
): Promise<void> {
  const { executable, dataDir, issuer } = options;
  const ready = await waitUntil(async () => {
    if (child.hasExited()) throw await whyItEnded(executable, environment, await child.exited);
    if (issuer.kind === 'internal' && !existsSync(rootOf(dataDir))) return false;
    return (await Promise.all(ports.map((port) => isListening(port, reachedAt(options))))).every(Boolean);
  }, READY_LIMIT_MS);
  if (!ready) throw new StartError(`The edge does not listen on port ${ports.join(' and ')}. ${child.lastOutput()}`);
}

/** `caddy run` keeps silent about mistakes in its file; `caddy validate` does not. */
async function whyItEnded(executable: string, env: NodeJS.ProcessEnv, how: string): Promise<StartError> {
  const { ok, output } = await runTool(executable, ['validate', ...caddyfile()], { env });
  if (ok) return new PortWasTaken(`The edge did not start, probably because a port was taken meanwhile. ${how}`);
  return new StartError(`The edge did not start: ${lastLines(output)}`);
}

const rootOf = (dataDir: string): string => join(dataDir, 'storage/pki/authorities/local/root.crt');

/** The storage is closed to other accounts because it holds keys; the root is what every client may have. */
async function shareRoot(dataDir: string): Promise<string> {
  const shared = join(dataDir, 'root.crt');
  await copyFile(rootOf(dataDir), shared);
  return shared;
}
