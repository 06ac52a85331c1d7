import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { timingSafeEqual } from 'node:crypto';
import { isDnsName } from '../domain/hostname.ts';
import type { CertificateAnswers } from './certificate-answers.ts';

export interface CertificateListenerOptions {
  host: string;
  port: number;
  /** The secret part of the path. */
  segment: string;
}

export interface CertificateListener {
  port: number;
  stop(): Promise<void>;
}

/** Caddy waits without a limit, so an answer that takes longer is "no". */
const DEADLINE_MS = 2_000;
const MAX_REQUEST = 16 * 1_024;

/**
 * Answers `get_certificate http` of the Caddy on this machine, with private keys. It speaks the little HTTP/1.1 that
 * Caddy's client uses on a bare socket, which costs a third less than node:http. Requests that a proxy forwarded, or
 * that name another host, are refused, and so is every other path.
 */
export async function startCertificateListener(
  answers: CertificateAnswers,
  { host, port, segment }: CertificateListenerOptions,
): Promise<CertificateListener> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    serve(socket, answers, segment, host);
  });
  await once(server.listen(port, host), 'listening');
  return { port: portOf(server), stop: () => stop(server, sockets) };
}

function serve(socket: Socket, answers: CertificateAnswers, segment: string, ownHost: string): void {
  let pending = '';
  let isBusy = false;
  const next = (): void => {
    const end = pending.indexOf('\r\n\r\n');
    if (isBusy || end < 0) return;
    const head = pending.slice(0, end);
    pending = pending.slice(end + 4);
    isBusy = true;
    const reply = (body: Buffer): void => {
      isBusy = false;
      socket.write(body);
      next();
    };
    const hostname = hostnameIn(head, segment, [
      `${ownHost}:${socket.localPort}`,
      `${socket.localAddress}:${socket.localPort}`,
    ]);
    if (hostname === undefined) {
      socket.end(NOT_FOUND);
      return;
    }
    const found = answers.find(hostname);
    if (found instanceof Promise)
      void withinDeadline(found).then((known) => reply(known === null ? NO_CONTENT : ok(known.pem)));
    else reply(found === null ? NO_CONTENT : ok(found.pem));
  };
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1');
    if (pending.length > MAX_REQUEST) socket.destroy();
    else next();
  });
}

/** Returns the requested hostname, empty if it is none; undefined if the request is not one of Caddy's. */
function hostnameIn(head: string, segment: string, ownNames: readonly string[]): string | undefined {
  const [first = '', ...headers] = head.split('\r\n');
  const [, path = '', query = ''] = /^GET \/cert\/([\w-]+)\?(\S+) HTTP\/1\.1$/.exec(first) ?? [];
  if (!isSame(path, segment)) return undefined;
  const names = headers.map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
  if (names.some((name) => name.startsWith('x-forwarded') || name === 'via' || name === 'forwarded')) return undefined;
  const host = /^host: *(\S+)$/im.exec(head)?.[1];
  if (!ownNames.includes(host ?? '')) return undefined;
  const hostname = new URLSearchParams(query).get('server_name')?.toLowerCase() ?? '';
  return isDnsName(hostname) ? hostname : '';
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const withinDeadline = <T>(answer: Promise<T>): Promise<T | null> => {
  const { promise, resolve } = Promise.withResolvers<T | null>();
  const limit = setTimeout(() => resolve(null), DEADLINE_MS);
  answer.then(resolve, () => resolve(null));
  return promise.finally(() => clearTimeout(limit));
};

const NO_CONTENT = Buffer.from('HTTP/1.1 204 No Content\r\n\r\n');
const NOT_FOUND = Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');

const ok = (pem: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: application/x-pem-file\r\nContent-Length: ${pem.length}\r\n\r\n`),
    pem,
  ]);

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

async function stop(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  server.close();
  for (const socket of sockets) socket.destroy();
  if (server.listening) await once(server, 'close');
}
