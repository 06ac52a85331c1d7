import { timingSafeEqual } from 'node:crypto';
import { isDnsName } from '../domain/hostname.ts';
import { listenBare, type BareListener } from './bare-listener.ts';
import type { CertificateAnswers } from './certificate-answers.ts';
import type { UsableCertificate } from './key-store.ts';
import { soleParameter } from './query.ts';

export interface CertificateListenerOptions {
  host: string;
  port: number;
  /** The secret part of the path. */
  segment: string;
}

/** Caddy waits without a limit, so an answer that takes longer is "no". */
const DEADLINE_MS = 2_000;

/**
 * Answers `get_certificate http` of the Caddy on this machine, with private keys. It speaks the little HTTP/1.1 that
 * Caddy's client uses on a bare socket, which is cheaper than node:http. Requests that a proxy forwarded, or that name
 * another host, are refused, and so is every other path.
 */
export function startCertificateListener(
  answers: CertificateAnswers,
  { host, port, segment }: CertificateListenerOptions,
): Promise<BareListener> {
  const secret = Buffer.from(segment, 'latin1');
  return listenBare(
    ({ localAddress, localPort }) => {
      const hostnameIn = questionReader(secret, [`${host}:${localPort}`, `${localAddress}:${localPort}`]);
      return (head, write) => {
        const hostname = hostnameIn(head);
        if (hostname === undefined) {
          write(NOT_FOUND, 'end');
          return;
        }
        const found = answers.find(hostname);
        if (found instanceof Promise) void withinDeadline(found).then((known) => write(responseOf(known), 'continue'));
        else write(responseOf(found), 'continue');
      };
    },
    host,
    port,
  );
}

const START = 'GET /cert/';
const END = ' HTTP/1.1';

/**
 * Creates the reader of a connection's questions. It returns the requested hostname, empty if it is none; undefined if
 * the request is not one of Caddy's. Headers are the same in all requests of a connection, so they are read once.
 */
function questionReader(segment: Buffer, ownNames: readonly string[]): (head: string) => string | undefined {
  let accepted = '';
  const query = START.length + segment.length + 1;
  return (head) => {
    const endOfLine = head.indexOf('\r\n');
    if (!head.startsWith(START) || head[query - 1] !== '?' || !head.endsWith(END, endOfLine)) return undefined;
    if (!timingSafeEqual(Buffer.from(head.slice(START.length, query - 1), 'latin1'), segment)) return undefined;
    const headers = head.slice(endOfLine);
    if (headers !== accepted && !isFromCaddy(headers, ownNames)) return undefined;
    accepted = headers;
    const hostname = soleParameter(head.slice(query, endOfLine - END.length), 'server_name')?.toLowerCase() ?? '';
    return isDnsName(hostname) ? hostname : '';
  };
}

/** Whether the headers name this listener, and no proxy forwarded them. */
function isFromCaddy(headers: string, ownNames: readonly string[]): boolean {
  const names = headers.split('\r\n').map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
  if (names.some((name) => name.startsWith('x-forwarded') || name === 'via' || name === 'forwarded')) return false;
  return ownNames.includes(/^host: *(\S+)$/im.exec(headers)?.[1] ?? '');
}

const withinDeadline = <T>(answer: Promise<T>): Promise<T | null> => {
  const { promise, resolve } = Promise.withResolvers<T | null>();
  const limit = setTimeout(() => resolve(null), DEADLINE_MS);
  answer.then(resolve, () => resolve(null));
  return promise.finally(() => clearTimeout(limit));
};

const NO_CONTENT = Buffer.from('HTTP/1.1 204 No Content\r\n\r\n');
const NOT_FOUND = Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');

const responses = new WeakMap<UsableCertificate, Buffer>();

/** Returns the response, which is prepared once for each certificate. */
function responseOf(found: UsableCertificate | null): Buffer {
  if (found === null) return NO_CONTENT;
  const known = responses.get(found);
  if (known !== undefined) return known;
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${found.pem.length}\r\n\r\n`;
  const response = Buffer.concat([Buffer.from(head), found.pem]);
  responses.set(found, response);
  return response;
}
