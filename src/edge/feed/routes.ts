import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { readSecretCopies } from '../../db/edge/edge-secrets.ts';
import { swapListeners, withdrawListeners } from '../../db/edge/own-listeners.ts';
import { readSealedOf, recordStatus } from '../../db/edge/feed.ts';
import { ServiceError } from '../../domain/errors.ts';
import { jsonOf } from '../../net/json.ts';
import type { PublicAuthority } from '../public-authority.ts';
import { authentication, type KnownEdge } from './authentication.ts';
import { EdgeLine } from './edge-message.ts';
import type { FeedHub } from './hub.ts';
import { linesIn } from './lines.ts';

const MAX_BODY_BYTES = 65_536;
const MAX_KEYS = 100;

const FeedQuery = z.object({
  id: z.uuid(),
  stale_ms: z.coerce.number().int().nonnegative(),
  epoch: z.string().max(100).optional(),
  after: z
    .string()
    .regex(/^\d{1,20}$/)
    .optional(),
});

const Order = z.object({ hostname: z.string().max(255) });
const Listeners = z.object({ process: z.uuid(), endpoints: z.array(z.string().max(100)).max(1_000).nullable() });

/** Returns the handler of all routes: those of docs/edge.md, and no other. */
export function feedRoutes(hub: FeedHub, authority: PublicAuthority | null) {
  const authenticate = authentication(hub.database);
  const take = async (line: string, { name }: KnownEdge): Promise<void> => {
    const { status, ...message } = parsed(EdgeLine, jsonOf(line));
    await hub.receive(name, message);
    if (status !== undefined) await recordStatus(hub.database, { id: status.id, name }, status);
  };
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '/', 'http://feed');
    const edge = await authenticate(headers, method, url.pathname);
    const [, root, place, more] = url.pathname.split('/');
    const route = root === 'edge' ? `${method} ${place}` : '';
    if (!hub.isReady) throw new ServiceError('unavailable', 'The database does not answer this process.');
    if (route === 'GET feed' && more === undefined) {
      const { id, stale_ms, epoch, after } = parsed(FeedQuery, Object.fromEntries(url.searchParams));
      const from = epoch === undefined || after === undefined ? undefined : { epoch, after };
      await hub.feed({ edge: { ...edge, id, staleForMs: stale_ms }, from, response });
    } else if (route === 'POST acks' && more === undefined) {
      for await (const lines of linesIn(request)) for (const line of lines) await take(line, edge);
      response.writeHead(204).end();
    } else if (route === 'GET certificates' && more !== undefined) {
      const connections = parsed(z.array(z.uuid()).max(MAX_KEYS), more.split(','));
      answer(response, { certificates: await readSealedOf(hub.database, edge.name, connections) });
    } else if (route === 'GET secrets' && more !== undefined) {
      const ids = parsed(z.array(z.uuid()).max(MAX_KEYS), more.split(','));
      answer(response, { secrets: Object.fromEntries(await readSecretCopies(hub.database, edge.name, ids)) });
    } else if (route === 'POST orders' && more === undefined) {
      const { hostname } = parsed(Order, await bodyOf(request));
      answer(response, { may_order: authority !== null && (await authority.mayOrder(hostname)) });
    } else if (route === 'POST listeners' && more === undefined) {
      const { process, endpoints } = parsed(Listeners, await bodyOf(request));
      if (endpoints === null) await withdrawListeners(hub.database, process);
      answer(response, { endpoints: endpoints === null ? [] : await swapListeners(hub.database, process, endpoints) });
    } else throw new ServiceError('not_found', 'The feed has no such route.');
  };
}

function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (!result.success) throw new ServiceError('invalid', z.prettifyError(result.error));
  return result.data;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new ServiceError('payload_too_large', 'The body is larger than 64 kB.');
    chunks.push(chunk);
  }
  return jsonOf(Buffer.concat(chunks).toString('utf8'));
}

const answer = (response: ServerResponse, body: object): void => {
  response
    .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body));
};
