import { readFileSync } from 'node:fs';
import { startCaddy, type Caddy, type CaddyOptions } from '../../src/embedded/caddy.ts';
import { freePorts } from '../../src/embedded/ports.ts';
import { obtainServer } from '../../src/embedded/servers.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { visitOver, type Visit, type VisitOptions } from './edge-laboratory.ts';
import { startFreezingProxy, type FreezingProxy } from './freezing-proxy.ts';
import { startAgentProcess, type HalfProcess } from './half-process.ts';
import { tempFolder } from './temp-folder.ts';
import { until } from './until.ts';

/** An edge as it stands alone: Caddy with an authority of its own, its agent in a process, and a control plane behind. */
export interface EdgeWithAgent {
  control: ControlPlane;
  /** Between the agent and the database. */
  database: FreezingProxy;
  caddy: Caddy;
  agent: HalfProcess;
  visit(hostname: string, options?: VisitOptions): Promise<Visit>;
  /** Starts the agent again on the same folder and ports, after it was stopped. */
  startAgent(): Promise<void>;
  /** Stops Caddy and starts it again on the same storage and ports. */
  restartCaddy(): Promise<void>;
  /** A second Caddy on the first one's storage, with somebody else in the agent's place. */
  anotherCaddy(agent: NonNullable<CaddyOptions['agent']>): Promise<Caddy>;
  untilTrusted(): Promise<void>;
  stop(): Promise<void>;
}

export async function startEdgeWithAgent({
  settings = {},
  nameServer = '127.0.0.1:9',
  ...caddyOptions
}: {
  settings?: NodeJS.ProcessEnv;
  /** Who knows where origins are. */
  nameServer?: string;
} & Pick<CaddyOptions, 'originTls' | 'optionsDir' | 'protocols'> = {}): Promise<EdgeWithAgent> {
  const control = await startControlPlane({ nameServers: [nameServer] });
  const database = await startFreezingProxy(control.databaseUrl);
  const folder = await tempFolder();
  const ports = await freePorts([undefined, undefined]);
  const startAgent = (): Promise<HalfProcess> =>
    startAgentProcess(database.url, { folder, ports, settings: { DNS_RESOLVERS: nameServer, ...settings } });
  const agent = await startAgent();
  const options: CaddyOptions = {
    executable: await obtainServer('caddy', { onProgress: () => undefined }),
    dataDir: await tempFolder(),
    agent: { address: `127.0.0.1:${ports[0]}`, resolver: `127.0.0.1:${ports[1]}` },
    control: `127.0.0.1:${control.port}`,
    issuer: { kind: 'internal' },
    onProgress: () => undefined,
    ...caddyOptions,
  };
  const caddy = await startCaddy(options);
  const root = readFileSync(caddy.caFile ?? '', 'utf8');
  const lab: EdgeWithAgent = {
    control,
    database,
    caddy,
    agent,
    visit: (hostname, visit = {}) => visitOver(visit.port ?? lab.caddy.httpsPort, root, hostname, visit),
    async startAgent() {
      lab.agent = await startAgent();
    },
    async restartCaddy() {
      await lab.caddy.stop();
      const { httpPort, httpsPort } = lab.caddy;
      lab.caddy = await startCaddy({ ...options, httpPort, httpsPort });
    },
    anotherCaddy: (inPlace) => startCaddy({ ...options, agent: inPlace }),
    async untilTrusted() {
      await until(async () => {
        const health = await fetch(`http://127.0.0.1:${ports[0]}/healthz`);
        return ((await health.json()) as { trusted: boolean }).trusted;
      });
    },
    async stop() {
      await Promise.all([lab.caddy.stop(), lab.agent.stop('SIGKILL')]);
      await database.stop();
      await control.stop();
    },
  };
  await lab.untilTrusted();
  return lab;
}
