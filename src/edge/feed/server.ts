import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { bindEdge } from '../../db/edge/registered-edges.ts';
import { swapListeners, withdrawListeners } from '../../db/edge/own-listeners.ts';
import { readSealedOf, recordStatus } from '../../db/edge/feed.ts';
import type { PublicAuthority } from '../public-authority.ts';
import { EdgeMessage, type FeedHub } from './hub.ts';
import { provedBy, type ProvedRequest } from './proof.ts';

/** Time for which a token counts as valid after it was checked. A stream is checked more often. */
const KNOWN_FOR_MS = 1_000;
const MAX_BODY_BYTES = 65_536;
const MAX_CERTIFICATES = 100;
const TLS_CHECK_EVERY_MS = 60_000;

export interface FeedServerOptions {
  hub: FeedHub;
  /** Limits certificate orders; null if the edge has its own CA. */
  authority: PublicAuthority | null;
  host: string;
  port: number;
  /** Files with the certificate and the key. Without them the listener speaks plain http. */
  tls: { certFile: string; keyFile: string } | undefined;
}

interface KnownEdge {
  name: string;
  tokenHash: string;
}

class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Starts the listener of the feed, where every route needs an edge and nothing else exists. */
export async function startFeedServer(options: FeedServerOptions): Promise<{ port: number; stop(): Promise<void> }> {
  const routes = feedRoutes(options);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    routes(request, response).catch((error: unknown) => refuse(response, error));
  };
  const { tls, host, port } = options;
  const server = tls === undefined ? createServer(handle) : createTlsServer(contextOf(tls), handle);
  server.requestTimeout = 0; // an edge's messages are one long request; strangers are refused by its headers
  const reloading = tls === undefined ? undefined : reloadTls(server, tls);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      clearInterval(reloading);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const contextOf = ({ certFile, keyFile }: { certFile: string; keyFile: string }) => {
  const cert = readFileSync(certFile);
  new X509Certificate(cert); // throws if it is none
  return { cert, key: readFileSync(keyFile), minVersion: 'TLSv1.2' as const };
};

/** Uses a renewed certificate without a restart. */
function reloadTls(server: Server, tls: { certFile: string; keyFile: string }): NodeJS.Timeout {
  const changedAt = () => statSync(tls.certFile, { throwIfNoEntry: false })?.mtimeMs;
  let known = changedAt();
  return setInterval(() => {
    const now = changedAt();
    if (now === undefined || now === known) return;
    try {
      (server as unknown as { setSecureContext(context: object): void }).setSecureContext(contextOf(tls));
      known = now;
    } catch {
      // half written: the next check tries again
    }
  }, TLS_CHECK_EVERY_MS).unref();
}

const FeedQuery = z.object({
  id: z.uuid(),
  stale_ms: z.coerce.number().int().nonnegative(),
  epoch: z.string().max(100).optional(),
  after: z
    .string()
    .regex(/^\d{1,20}$/)
    .optional(),
});

const Acks = EdgeMessage.extend({
  status: z
    .object({
      id: z.uuid(),
      version: z.string().max(64),
      names: z.int().nonnegative(),
      certificates: z.int().nonnegative(),
      idleMs: z.int().nonnegative(),
    })
    .optional(),
});
const Order = z.object({ hostname: z.string().max(255) });
const Listeners = z.object({ process: z.uuid(), endpoints: z.array(z.string().max(100)).max(1_000).nullable() });

function feedRoutes({ hub, authority }: FeedServerOptions) {
  const authenticate = authentication(hub);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '/', 'http://feed');
    const edge = await authenticate(headers, method, url.pathname);
    const [, root, place, more] = url.pathname.split('/');
    const route = root === 'edge' ? `${method} ${place}` : '';
    if (!hub.isReady) throw new Refusal(503, 'unavailable', 'The database does not answer this process.');
    if (route === 'GET feed' && more === undefined) {
      const { id, stale_ms, epoch, after } = parsed(FeedQuery, Object.fromEntries(url.searchParams));
      const from = epoch === undefined || after === undefined ? undefined : { epoch, after };
      await hub.feed({ edge: { ...edge, id, staleForMs: stale_ms }, from, response });
    } else if (route === 'POST acks' && more === undefined) {
      for await (const line of linesOf(request)) {
        const { status, ...message } = parsed(Acks, jsonIn(line));
        await hub.receive(edge.name, message);
        if (status !== undefined) await recordStatus(hub.database, { id: status.id, name: edge.name }, status);
      }
      response.writeHead(204).end();
    } else if (route === 'GET certificates' && more !== undefined) {
      const connections = parsed(z.array(z.uuid()).max(MAX_CERTIFICATES), more.split(','));
      answer(response, { certificates: await readSealedOf(hub.database, edge.name, connections) });
    } else if (route === 'POST orders' && more === undefined) {
      const { hostname } = parsed(Order, await bodyOf(request));
      answer(response, { may_order: authority !== null && (await authority.mayOrder(hostname)) });
    } else if (route === 'POST listeners' && more === undefined) {
      const { process, endpoints } = parsed(Listeners, await bodyOf(request));
      if (endpoints === null) await withdrawListeners(hub.database, process);
      answer(response, { endpoints: endpoints === null ? [] : await swapListeners(hub.database, process, endpoints) });
    } else throw new Refusal(404, 'not_found', 'The feed has no such route.');
  };
}

/** Returns a function that finds the edge of a request. An accepted token and key are known for a second. */
function authentication(hub: FeedHub) {
  const known = new Map<string, { edge: KnownEdge; until: number }>();
  const find = async ({ token, publicKey }: ProvedRequest): Promise<KnownEdge> => {
    const key = `${token} ${publicKey.x} ${publicKey.y}`;
    const entry = known.get(key);
    if (entry !== undefined && entry.until > performance.now()) return entry.edge;
    const name = await bindEdge(hub.database, token, publicKey);
    known.delete(key);
    if (name === null)
      throw new Refusal(
        401,
        'unauthorized',
        'The token is unknown, revoked, too old to bind a key pair, or bound to another one. Run edges rekey.',
      );
    const edge = { name, tokenHash: createHash('sha256').update(token).digest('hex') };
    known.set(key, { edge, until: performance.now() + KNOWN_FOR_MS });
    return edge;
  };
  return async (headers: IncomingMessage['headers'], method: string, path: string): Promise<KnownEdge> => {
    const proved = await provedBy({ authorization: headers.authorization, dpop: headers['dpop'] }, method, path);
    if (typeof proved === 'string') throw new Refusal(401, 'unauthorized', proved);
    return find(proved);
  };
}

function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (!result.success) throw new Refusal(400, 'invalid', z.prettifyError(result.error));
  return result.data;
}

/** Yields the lines of a body as they arrive. */
async function* linesOf(request: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  request.setEncoding('utf8');
  for await (const chunk of request as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_BODY_BYTES) throw tooLarge();
    yield* lines.filter((line) => line !== '');
  }
  if (rest !== '') yield rest;
}

const tooLarge = () => new Refusal(413, 'payload_too_large', 'The body is larger than 64 kB.');

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'invalid', 'The body is not JSON.');
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return jsonIn(Buffer.concat(chunks).toString('utf8'));
}

const answer = (response: ServerResponse, body: object): void => {
  response
    .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body));
};

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, code, message } =
    error instanceof Refusal ? error : { status: 503, code: 'unavailable', message: 'The database does not answer.' };
  const close = status === 413 || status === 401 ? { connection: 'close' } : {};
  response
    .writeHead(status, { 'content-type': 'application/json', ...close })
    .end(JSON.stringify({ error: { code, message, details: null } }));
}
