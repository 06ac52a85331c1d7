import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { toolsDir } from './folders.ts';
import { listeningPorts } from './listening-ports.ts';
import { freePorts, isListening } from './ports.ts';
import { runTool, lastLines } from './run-tool.ts';
import { StartError } from './start-error.ts';
import { untilReady } from './until-ready.ts';

export interface CaddyOptions {
  executable: string;
  /** Folder for certificates, keys, the log and the root certificate. */
  dataDir: string;
  /** Address of the listeners; loopback by default. */
  bind?: string;
  httpPort?: number | undefined;
  httpsPort?: number | undefined;
  /**
   * A running Caddy that this one will replace. Both listen on the same ports, because Caddy sets SO_REUSEPORT, so no
   * handshake fails when the other one is stopped.
   */
  nextTo?: Caddy;
  /** Admin setting. Two processes need two sockets: the second would delete the first one's, and the first the second's. */
  admin?: string;
  /** Ports of the previous run, used if they are free and no port was set. */
  usualPorts?: readonly [http: number | undefined, https: number | undefined];
  /** The agent that answers /internal/ask and /internal/route. Without an agent, the control plane answers. */
  agent?: CaddysAgent;
  /** The file that the agent keeps for Caddy with our module. With stock Caddy there is none. */
  generationFile?: string | undefined;
  /** host:port of the control plane's listener for the same requests. */
  control: string;
  issuer: { kind: 'internal' } | AcmeIssuer;
  /** Protocols such as `h1 h2`; by default HTTP/3 too. */
  protocols?: string;
  /** A folder with further global options, one `*.caddyfile` each. */
  optionsDir?: string;
  /** Further lines for TLS to origins, such as a private certificate authority to trust. */
  originTls?: string;
  /** Certificate and key that Caddy shows to https origins. */
  originCertificate?: { certFile: string; keyFile: string } | undefined;
  onProgress: (line: string) => void;
  /** Called if Caddy exits after it was ready without having been stopped. */
  onUnexpectedExit?: (sentence: string) => void;
}

export interface CaddysAgent {
  address: string;
  resolver: string;
  /** host:port of the process that answers /internal/ask while the agent is down. */
  answerer?: string;
  /** host:port of its two answerers for certificates, and the secret part of their path. */
  certificates?: readonly [agent: string, answerer: string];
  segment?: string;
}

interface AcmeIssuer {
  kind: 'acme';
  directoryUrl: string;
  /** Directory of a second certificate authority, for hostnames that the first one refuses. */
  fallbackUrl?: string | undefined;
  caFile?: string | undefined;
  email?: string | undefined;
  /** Certificate profile of the first certificate authority, such as `shortlived`. */
  profile?: string | undefined;
}

export interface Caddy {
  /** Host of the listeners from this machine, as in a URL. */
  host: string;
  httpPort: number;
  httpsPort: number;
  /** Always on the loopback address. */
  metricsPort: number;
  /** All ports at which it listens. */
  ports: readonly [http: number, https: number, metrics: number, ask: number];
  /** The root certificate of Caddy's own certificate authority; null with a public one. */
  caFile: string | null;
  logFile: string;
  pid: number;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const PORT_ATTEMPTS = 5;

/** Starts the edge of src/edge/Caddyfile on this machine. */
export async function startCaddy(options: CaddyOptions): Promise<Caddy> {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  options.onProgress('Starting the edge …');
  for (let attempt = 1; ; attempt++) {
    // A port can be taken between our check and the start of Caddy. Ports that were not set are then picked again.
    const [usualHttp, usualHttps] = attempt === 1 ? (options.usualPorts ?? []) : [];
    const [httpPort, httpsPort, metricsPort, askPort] =
      options.nextTo?.ports ??
      (await freePorts([options.httpPort ?? usualHttp, options.httpsPort ?? usualHttps, undefined, undefined]));
    refuseOtherPort('EDGE_HTTP_PORT', options.httpPort, httpPort);
    refuseOtherPort('EDGE_HTTPS_PORT', options.httpsPort, httpsPort);
    const environment = environmentOf(options, { httpPort, httpsPort, metricsPort, askPort });
    const child = await launch(options.executable, environment);
    try {
      await untilReady(child, () => isServing(options, child.pid, [httpPort, httpsPort]), {
        onProgress: options.onProgress,
        whyItExited: (how) => whyItEnded(options.executable, environment, how),
      });
      if (options.onUnexpectedExit !== undefined) child.onUnexpectedExit(options.onUnexpectedExit);
      const caFile = options.issuer.kind === 'internal' ? await shareRoot(options.dataDir) : null;
      const logFile = environment['EDGE_LOG_FILE'] ?? '';
      const host = inUrl(reachedAt(options));
      const ports = [httpPort, httpsPort, metricsPort, askPort] as const;
      return { host, httpPort, httpsPort, metricsPort, ports, caFile, logFile, pid: child.pid, stop: child.stop };
    } catch (error) {
      await child.stop();
      if (!(error instanceof PortWasTaken) || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

/** Longest path of a Unix socket on every system. */
const MAX_SOCKET_PATH = 100;

/** Returns Caddy's admin setting: a socket that only this account can open, unless its path would be too long. */
export function adminOf(dataDir: string): string {
  const socket = join(dataDir, 'admin.sock');
  return socket.length > MAX_SOCKET_PATH ? 'off' : `unix/${socket}|0600`;
}

class PortWasTaken extends StartError {}

function refuseOtherPort(setting: string, wanted: number | undefined, got: number): void {
  if (wanted !== undefined && wanted !== got)
    throw new StartError(`Port ${wanted} is taken by another program. Set ${setting}, or stop it.`);
}

/** Returns the address at which this machine reaches the edge. An edge on all addresses also listens on loopback. */
function reachedAt({ bind = LOOPBACK }: CaddyOptions): string {
  if (bind === '0.0.0.0') return LOOPBACK;
  return bind === '::' ? '::1' : bind;
}

const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/** Resolved when it is needed, because an image runs the same code without a checkout. */
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

/** Our own environment contains secrets, so Caddy gets only the variables that it needs. */
function environmentOf(
  options: CaddyOptions,
  { httpPort, httpsPort, metricsPort, askPort }: Record<'httpPort' | 'httpsPort' | 'metricsPort' | 'askPort', number>,
): NodeJS.ProcessEnv {
  const {
    dataDir,
    bind = LOOPBACK,
    control,
    agent,
    admin,
    issuer,
    protocols,
    optionsDir,
    originTls,
    originCertificate,
    generationFile,
  } = options;
  return {
    PATH: process.env['PATH'],
    HOME: dataDir,
    XDG_DATA_HOME: join(dataDir, 'data'),
    XDG_CONFIG_HOME: join(dataDir, 'config'),
    EDGE: issuer.kind === 'acme' && issuer.fallbackUrl !== undefined ? 'acme-fallback' : issuer.kind,
    // With the default setting, garbage collection takes a tenth of the CPU time.
    GOGC: '400',
    EDGE_ADMIN: admin ?? (agent?.certificates === undefined ? 'off' : adminOf(dataDir)),
    EDGE_BIND: inUrl(bind),
    EDGE_ASK: [agent?.address ?? control, agent?.answerer ?? []].flat().join(' '),
    EDGE_ASK_PORT: String(askPort),
    EDGE_ROUTE: agent === undefined ? control : `${agent.address} ${control}`,
    ...(agent === undefined ? {} : { EDGE_DIAL_RESOLVER: agent.resolver }),
    ...certificateSettings(agent),
    ...(generationFile === undefined ? {} : { EDGE_ASKING: 'module', EDGE_GENERATION_FILE: generationFile }),
    EDGE_HTTP_PORT: String(httpPort),
    EDGE_HTTPS_PORT: String(httpsPort),
    ...(httpsPort === 443 ? {} : { EDGE_HTTPS_SUFFIX: `:${httpsPort}` }),
    EDGE_METRICS_PORT: String(metricsPort),
    EDGE_LOG_FILE: join(dataDir, 'edge.log'),
    EDGE_STORAGE: join(dataDir, 'storage'),
    ...(protocols === undefined ? {} : { EDGE_PROTOCOLS: protocols }),
    ...(optionsDir === undefined ? {} : { EDGE_OPTIONS: optionsDir }),
    ...(originTls === undefined ? {} : { EDGE_ORIGIN_TLS: originTls }),
    ...(originCertificate && {
      EDGE_ORIGIN_CERT_FILE: originCertificate.certFile,
      EDGE_ORIGIN_KEY_FILE: originCertificate.keyFile,
    }),
    ...(issuer.kind === 'acme' ? acmeSettings(issuer) : {}),
  };
}

function certificateSettings({ certificates, segment }: Partial<CaddysAgent> = {}): NodeJS.ProcessEnv {
  if (certificates === undefined || segment === undefined) return {};
  const [EDGE_CERT_AGENT, EDGE_CERT_ANSWERER] = certificates;
  return { EDGE_CERTIFICATES: 'on', EDGE_CERT_AGENT, EDGE_CERT_ANSWERER, EDGE_CERT_SEGMENT: segment };
}

function acmeSettings({ directoryUrl, fallbackUrl, caFile, email, profile }: AcmeIssuer): NodeJS.ProcessEnv {
  const lines = [
    ...(email === undefined ? [] : [`email ${email}`]),
    ...(caFile === undefined ? [] : [`trusted_roots "${caFile}"`]),
  ];
  const options = lines.join('\n');
  return {
    ACME_DIRECTORY_URL: directoryUrl,
    ACME_OPTIONS: profile === undefined ? options : `${options}\nprofile ${profile}`,
    ...(fallbackUrl === undefined ? {} : { ACME_FALLBACK_DIRECTORY_URL: fallbackUrl, ACME_FALLBACK_OPTIONS: options }),
  };
}

/** Whether Caddy listens and, with a certificate authority of its own, has created its root certificate. */
async function isServing(options: CaddyOptions, pid: number, ports: number[]): Promise<boolean> {
  if (options.issuer.kind === 'internal' && !existsSync(rootOf(options.dataDir))) return false;
  if (options.nextTo !== undefined) {
    const own = await listeningPorts(pid); // the other process would answer
    return options.nextTo.ports.every((port) => own.includes(port));
  }
  return (await Promise.all(ports.map((port) => isListening(port, reachedAt(options))))).every(Boolean);
}

/** Returns the reason for an exit. `caddy run` does not report mistakes in its file; `caddy validate` does. */
async function whyItEnded(executable: string, env: NodeJS.ProcessEnv, how: string): Promise<StartError> {
  const { ok, output } = await runTool(executable, ['validate', ...caddyfile()], { env });
  if (ok) return new PortWasTaken(`The edge did not start, probably because a port was taken. ${how}`);
  return new StartError(`The edge did not start: ${lastLines(output)}`);
}

const rootOf = (dataDir: string): string => join(dataDir, 'storage/pki/authorities/local/root.crt');

/** Copies the root certificate, which every client may read, out of the storage, which contains keys and is private. */
async function shareRoot(dataDir: string): Promise<string> {
  const shared = join(dataDir, 'root.crt');
  await copyFile(rootOf(dataDir), shared);
  return shared;
}
