import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer, request as httpsRequest, type Server } from 'node:https';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePorts, isListening } from '../../../src/embedded/ports.ts';
import { startChild } from '../../../src/embedded/child.ts';
import { until } from '../until.ts';
import { tempFolder } from '../temp-folder.ts';
import { obtainTestServer } from './test-servers.ts';

/** A real ACME certificate authority, behind a proxy that records orders and can refuse them. */
export interface Pebble {
  directoryUrl: string;
  /** Certificate of its HTTPS listener. */
  caFile: string;
  /** The root certificate of issued certificates; new at every start. */
  root: string;
  /** Ordered hostnames, in order. */
  orders: string[];
  /** Makes the certificate authority refuse a hostname, with the last part of an ACME error type. */
  refuse(hostname: string, type: string, detail: string): void;
  /** Awaited before a request is passed on, and before its answer is. If it throws, the connection is closed. */
  intercept: ((exchange: AcmeExchange) => Promise<void>) | undefined;
  stop(): Promise<void>;
}

export interface AcmeExchange {
  path: string;
  /** Hostnames of a new order. */
  names: string[];
  /** Undefined before the request is passed on. */
  answer?: { location: string | undefined; body: string };
}

export interface PebbleOptions {
  dns: { address: string; port: number };
  httpPort: number;
  tlsPort: number;
  validitySeconds?: number;
  /** Name of the profile with this validity. The CA then offers another one too, and picks either if none is requested. */
  profile?: string | undefined;
  /** Keys of external accounts by their ids, base64url. With them, the CA makes accounts only for their owners. */
  externalAccounts?: Record<string, string>;
  /** Whether renewal information (ARI) is served. Without it, the edge renews by the age of the certificate alone. */
  renewalInfo?: boolean;
}

const USUAL_VALIDITY = 7_776_000;

export async function startPebble({
  dns,
  httpPort,
  tlsPort,
  validitySeconds = USUAL_VALIDITY,
  profile,
  externalAccounts,
  renewalInfo = true,
}: PebbleOptions): Promise<Pebble> {
  const folder = await tempFolder();
  const [port, managementPort, proxyPort] = await freePorts([undefined, undefined, undefined]);
  const [key, caFile] = [join(folder, 'tls.key'), join(folder, 'tls.pem')];
  makeCertificate(key, caFile, 'DNS:localhost,IP:127.0.0.1');
  const config = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: caFile,
    privateKey: key,
    httpPort,
    tlsPort,
    ocspResponderURL: '',
    externalAccountBindingRequired: externalAccounts !== undefined,
    externalAccountMACKeys: externalAccounts ?? {},
    keyAlgorithm: 'ecdsa',
    profiles: {
      [profile ?? 'default']: { description: 'as the test wants it', validityPeriod: validitySeconds },
      ...(profile === undefined ? {} : { usual: { description: '90 days', validityPeriod: USUAL_VALIDITY } }),
    },
  };
  await writeFile(join(folder, 'pebble.json'), JSON.stringify({ pebble: config }));
  const child = await startChild({
    name: 'Pebble',
    executable: await obtainTestServer('pebble', { onProgress: () => undefined }),
    args: ['-config', join(folder, 'pebble.json'), '-dnsserver', `${dns.address}:${dns.port}`],
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', PEBBLE_AUTHZREUSE: '0' },
    stopWith: [{ signal: 'SIGTERM', graceMs: 3_000 }],
  });
  await until(() => isListening(port));
  const orders: string[] = [];
  const refusals = new Map<string, { type: string; detail: string }>();
  const proxy = createServer({ key: readFileSync(key), cert: readFileSync(caFile) }, (incoming, outgoing) => {
    void (async () => {
      const sent = Buffer.concat((await incoming.toArray()) as Buffer[]);
      const { url: path = '' } = incoming;
      const names = path === '/order-plz' ? namesIn(sent) : [];
      orders.push(...names);
      await pebble.intercept?.({ path, names });
      const upstream = httpsRequest({
        host: '127.0.0.1',
        port,
        path,
        method: incoming.method,
        headers: incoming.headers,
        rejectUnauthorized: false,
      });
      upstream.end(sent);
      const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
      const body = rewritten(Buffer.concat((await answer.toArray()) as Buffer[]), refusals, renewalInfo);
      await pebble.intercept?.({ path, names, answer: { location: answer.headers.location, body: body.toString() } });
      outgoing.writeHead(answer.statusCode ?? 500, { ...answer.headers, 'content-length': body.length });
      outgoing.end(body);
    })().catch(() => outgoing.destroy());
  });
  await once(proxy.listen(proxyPort, '127.0.0.1'), 'listening');
  const pebble: Pebble = {
    directoryUrl: `https://127.0.0.1:${proxyPort}/dir`,
    caFile,
    root: await get(`https://127.0.0.1:${managementPort}/roots/0`),
    orders,
    refuse: (hostname, type, detail) => void refusals.set(hostname, { type, detail }),
    intercept: undefined,
    async stop() {
      await close(proxy);
      await child.stop();
    },
  };
  return pebble;
}

/** Creates a self-signed certificate for servers of the lab. */
export function makeCertificate(keyFile: string, certificateFile: string, names: string): void {
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'];
  args.push(
    '-subj',
    '/CN=laboratory',
    '-addext',
    `subjectAltName=${names}`,
    '-keyout',
    keyFile,
    '-out',
    certificateFile,
  );
  execFileSync('openssl', args, { stdio: 'ignore' });
}

/** Reads hostnames from a signed ACME request, whose payload is not encrypted. */
function namesIn(jws: Buffer): string[] {
  const { payload } = JSON.parse(jws.toString()) as { payload: string };
  const order = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { identifiers: { value: string }[] };
  return order.identifiers.map(({ value }) => value);
}

interface Answer {
  renewalInfo?: string;
  status?: string;
  identifier?: { value: string };
  challenges?: object[];
}

/** Rewrites an answer. Answers are not signed, so a proxy can turn an authorization down. */
function rewritten(
  body: Buffer,
  refusals: Map<string, { type: string; detail: string }>,
  renewalInfo: boolean,
): Buffer {
  if (body[0] !== 0x7b) return body;
  const answer = JSON.parse(body.toString()) as Answer;
  if (!renewalInfo) delete answer.renewalInfo;
  const refusal = refusals.get(answer.identifier?.value ?? '');
  // The edge must have tried its challenge first, because a real server refuses only after that.
  if (refusal && answer.challenges && answer.status !== 'pending') {
    const error = { type: `urn:ietf:params:acme:error:${refusal.type}`, detail: refusal.detail, status: 403 };
    answer.status = 'invalid';
    answer.challenges = answer.challenges.map((challenge) => ({ ...challenge, status: 'invalid', error }));
  }
  return Buffer.from(JSON.stringify(answer));
}

async function get(url: string): Promise<string> {
  const request = httpsRequest(url, { rejectUnauthorized: false }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return Buffer.concat((await response.toArray()) as Buffer[]).toString();
}

const close = async (server: Server): Promise<void> => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
};
