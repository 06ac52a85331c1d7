import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { registrableDomain } from '../../src/dns/suffix.ts';
import { publicAuthority } from '../../src/edge/public-authority.ts';
import { startCaddy, type Caddy, type CaddyOptions } from '../../src/embedded/caddy.ts';
import { freePorts } from '../../src/embedded/ports.ts';
import { obtainServer } from '../../src/embedded/servers.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { startLaboratory, type Laboratory } from './dns-laboratory.ts';
import { startPebble, type Pebble } from './pebble.ts';
import { tempFolder } from './temp-folder.ts';

/** A whole edge: Caddy, certificates of a real ACME authority, real DNS, and a control plane on a real database. */
export interface EdgeLaboratory {
  control: ControlPlane;
  dns: Laboratory;
  pebble: Pebble;
  /** All of them; `pebble` is asked first. */
  authorities: Pebble[];
  caddy: Caddy;
  /** A new name whose DNS leads to the edge. */
  name(): Promise<string>;
  visit(hostname: string, options?: VisitOptions): Promise<Visit>;
  /** Stops the edge and starts it again on the same storage and ports; `between` may do something to the storage. */
  restartEdge(between?: (storage: string) => Promise<unknown>): Promise<void>;
  /** A second edge on the first one's storage. */
  secondEdge(): Promise<Caddy>;
  stop(): Promise<void>;
}

export interface VisitOptions {
  method?: string;
  path?: string;
  host?: string;
  headers?: Record<string, string>;
  port?: number;
  address?: string;
  /** The visitor's own. */
  localAddress?: string;
}

export interface Visit {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
  serial: string;
}

export async function startEdgeLaboratory(
  options: { validitySeconds?: number; renewalInfo?: boolean; fallback?: boolean } & Pick<
    CaddyOptions,
    'optionsDir' | 'originTls'
  > = {},
): Promise<EdgeLaboratory> {
  const { validitySeconds, renewalInfo, fallback = false, ...edgeOptions } = options;
  const [httpPort, httpsPort] = await freePorts([undefined, undefined]);
  let accounts: string[] = [];
  const [control, dns] = await Promise.all([
    startControlPlane({
      // The authority starts later, because it must know the ports of the edge.
      authority: (pool) => ({ mayOrder: (name) => publicAuthority(pool, accounts, registrableDomain).mayOrder(name) }),
    }),
    startLaboratory(),
  ]);
  const startAuthority = (): Promise<Pebble> =>
    startPebble({
      dns: dns.powerdns,
      httpPort,
      tlsPort: httpsPort,
      ...(validitySeconds === undefined ? {} : { validitySeconds }),
      ...(renewalInfo === undefined ? {} : { renewalInfo }),
    });
  const pebble = await startAuthority();
  const others = fallback ? [await startAuthority()] : [];
  const authorities = [pebble, ...others];
  accounts = authorities.map(({ directoryUrl }) => directoryUrl);
  // Each has a certificate of its own for its directory.
  const caFile = join(await tempFolder(), 'authorities.pem');
  await writeFile(caFile, (await Promise.all(authorities.map((one) => readFile(one.caFile)))).join('\n'));
  const settings: CaddyOptions = {
    executable: await obtainServer('caddy', { onProgress: () => undefined }),
    dataDir: await tempFolder(),
    httpPort,
    httpsPort,
    control: `127.0.0.1:${control.port}`,
    issuer: {
      kind: 'acme',
      directoryUrl: pebble.directoryUrl,
      fallbackUrl: others[0]?.directoryUrl,
      caFile,
      email: 'ops@saas.test',
    },
    onProgress: () => undefined,
    ...edgeOptions,
  };
  const zone = await dns.domain();
  const otherEdges: Caddy[] = [];
  const lab: EdgeLaboratory = {
    control,
    dns,
    pebble,
    authorities,
    caddy: await startCaddy(settings),
    async name() {
      const name = `n${crypto.randomUUID().slice(0, 8)}.${zone}`;
      await dns.powerdns.set(zone, name, 'A', '127.0.0.1');
      return name;
    },
    visit: (hostname, visit = {}) => visitOver(visit.port ?? httpsPort, pebble.root, hostname, visit),
    async restartEdge(between) {
      await lab.caddy.stop();
      await between?.(settings.dataDir);
      lab.caddy = await startCaddy(settings);
    },
    async secondEdge() {
      const second = await startCaddy({ ...settings, httpPort: undefined, httpsPort: undefined });
      otherEdges.push(second);
      return second;
    },
    async stop() {
      await Promise.all([lab.caddy, ...otherEdges].map((caddy) => caddy.stop()));
      await Promise.all([...authorities, dns, control].map((server) => server.stop()));
    },
  };
  return lab;
}

/** One request over an edge on this machine. */
export async function visitOver(
  port: number,
  root: string,
  hostname: string,
  visit: VisitOptions = {},
): Promise<Visit> {
  const request = httpsRequest({
    host: visit.address ?? '127.0.0.1',
    port,
    servername: hostname,
    method: visit.method ?? 'GET',
    path: visit.path ?? '/',
    ca: root,
    agent: false,
    ...(visit.localAddress === undefined ? {} : { localAddress: visit.localAddress }),
    headers: { host: visit.host ?? hostname, ...visit.headers },
    timeout: 20_000,
  });
  request.on('timeout', () => request.destroy(new Error('No answer in 20 s.')));
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const { serialNumber } = (response.socket as TLSSocket).getPeerCertificate();
  const chunks = (await response.toArray()) as Buffer[];
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: Buffer.concat(chunks).toString(),
    serial: serialNumber,
  };
}
