import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request } from 'undici';
import { freePort } from '../../src/embedded/ports.ts';

/** Starts a proxy that forwards one request at a time. PowerDNS on SQLite refuses changes that arrive together (500). */
export async function startOneAtATime(url: string): Promise<{ url: string; server: Server }> {
  let last = Promise.resolve();
  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = Buffer.concat((await incoming.toArray()) as Buffer[]);
    const { 'x-api-key': apiKey, 'content-type': type } = incoming.headers;
    const headers = { 'x-api-key': apiKey, 'content-type': type };
    const method = incoming.method as 'GET';
    const answer = await request(`${url}${incoming.url}`, { method, headers, ...(body.length > 0 && { body }) });
    const content = Buffer.from(await answer.body.arrayBuffer());
    outgoing.writeHead(answer.statusCode, { 'content-type': String(answer.headers['content-type']) }).end(content);
  };
  const server = createServer((incoming, outgoing) => {
    last = last.then(() => forward(incoming, outgoing)).catch(() => void outgoing.destroy());
  });
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${port}`, server };
}
