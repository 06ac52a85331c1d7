import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { startCaddy, type Caddy, type CaddyOptions } from '../embedded/caddy.ts';
import { startEdgeAgent, type EdgeAgent, type EdgeAgentOptions } from '../embedded/edge-agent.ts';
import { obtainServer } from '../embedded/servers.ts';
import { StartError } from '../embedded/start-error.ts';
import { newSegment } from '../edge/segment.ts';
import { edgeOf, type EdgeInReach } from './edge-in-reach.ts';

interface StartedEdge {
  inReach: EdgeInReach | null;
  httpsUrl: string | null;
  /** Present if this process runs Caddy. */
  child?: Caddy;
  agent?: EdgeAgent;
}

/** Starts the edge of this machine, unless the settings name one or want none. The service also starts without. */
export async function startEdge(
  config: Config,
  dataDir: string,
  reports: Pick<CaddyOptions, 'onProgress' | 'onUnexpectedExit' | 'usualPorts'>,
  agentOptions: Pick<EdgeAgentOptions, 'onStart' | 'settings'> & {
    /** Starts the feed for the agent, and returns its URL. */
    feed(): Promise<string>;
  },
): Promise<StartedEdge> {
  const named = edgeOf(config);
  if (config.EDGE === 'off' || named !== null)
    return { inReach: named, httpsUrl: named === null ? null : `https://${named.tlsAddress}` };
  const executable = await obtainServer('caddy', reports).catch((error: unknown) => {
    if (!(error instanceof StartError)) throw error;
    reports.onProgress(`${error.message} Continuing without an edge: ${withoutEdge(config)}`);
    return undefined;
  });
  if (executable === undefined) return { inReach: null, httpsUrl: null };
  const edgeDir = join(dataDir, 'edge');
  await mkdir(edgeDir, { recursive: true, mode: 0o700 });
  const segmentFile = join(edgeDir, 'certificate-path');
  const segment = await newSegment(segmentFile);
  const generationFile = config.EDGE_ASKING === 'module' ? join(edgeDir, 'generation') : undefined;
  const agent = await startEdgeAgent({
    onStart: agentOptions.onStart,
    feedUrl: await agentOptions.feed(),
    segmentFile,
    onProgress: reports.onProgress,
    dataDir: edgeDir,
    settings: { ...sharedSettings(agentOptions.settings), EDGE_GENERATION_FILE: generationFile },
  });
  const caddy = await startCaddy({
    executable,
    dataDir: edgeDir,
    generationFile,
    bind: config.EDGE_BIND,
    httpPort: config.EDGE_HTTP_PORT,
    httpsPort: config.EDGE_HTTPS_PORT,
    agent: { ...agent, segment },
    control: controlOf(config),
    issuer: issuerOf(config),
    protocols: config.EDGE_PROTOCOLS,
    originCertificate: originCertificateOf(config),
    ...reports,
  }).catch(async (error: unknown) => {
    await agent.stop(); // no caller knows it yet, and its child would keep this process running
    throw error;
  });
  const tlsAddress = `${caddy.host}:${caddy.httpsPort}`;
  const caFile = config.EDGE_CA_FILE ?? caddy.caFile;
  return {
    inReach: { tlsAddress, caFile, logFile: caddy.logFile },
    httpsUrl: `https://${tlsAddress}`,
    child: caddy,
    agent,
  };
}

/** Settings of the agent. It answers the public edge, so it gets no secrets. */
const sharedSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => SHARED.test(name)));
const SHARED = /^(PATH|NODE_ENV|HOST|PORT|INTERNAL_PORT|BASE_URL|LOG_\w+|EDGE\w*|ACME_\w+|ORIGIN_\w+|DNS_\w+)$/;

/** A service that listens on one address only is not reachable on the loopback address. */
function controlOf({ internalUrl }: Config): string {
  const { hostname, port } = new URL(internalUrl);
  return `${hostname}:${port || 80}`;
}

/** The configuration has both settings, or none. */
function originCertificateOf({ EDGE_ORIGIN_CERT_FILE: certFile, EDGE_ORIGIN_KEY_FILE: keyFile }: Config) {
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
}

/** With a public CA the edge is required; otherwise the service can run without certificates for a while. */
const withoutEdge = ({ EDGE }: Config): string =>
  EDGE === 'acme' ? 'names wait for their certificate until there is one.' : 'names become live without a certificate.';

const issuerOf = (config: Config): CaddyOptions['issuer'] =>
  config.EDGE === 'acme'
    ? {
        kind: 'acme',
        directoryUrl: config.ACME_DIRECTORY_URL,
        fallbackUrl: config.ACME_FALLBACK_DIRECTORY_URL,
        caFile: config.ACME_CA_FILE,
        email: config.ACME_EMAIL,
        profile: config.ACME_PROFILE,
      }
    : { kind: 'internal' };
