import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { tempFolder } from '../temp-folder.ts';

interface Registered {
  registeredAt: Date;
  expiresAt: Date | null;
  /** Date of the last transfer to another registrar. */
  transferredAt?: Date;
}

/** A registry's RDAP server (RFC 7480, RFC 9082, RFC 9083) on loopback, with the domains that are registered there. */
export interface RdapServer {
  url: string;
  registered: Map<string, Registered>;
  /** Domains that were asked for, in order. */
  asked: string[];
  /** Refuses further requests with 429 and this Retry-After, in seconds. */
  limitedFor: number | null;
  /** Overrides the server's own answers, for tests that make it fail or lie. Returns whether it answered. */
  answer: ((domain: string, response: ServerResponse) => boolean) | null;
  /** Writes a file like IANA's dns.json, in which this server is responsible for these suffixes. */
  bootstrapFile(...suffixes: string[]): Promise<string>;
  stop(): Promise<void>;
}

const DOMAIN_PATH = /^\/rdap\/domain\/([^/]+)$/;
const LDH_NAME = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]+$/i;

export async function startRdapServer(): Promise<RdapServer> {
  const server = createServer((request, response) => serve(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rdap/`;
  const double: RdapServer = {
    url,
    registered: new Map(),
    asked: [],
    limitedFor: null,
    answer: null,
    async bootstrapFile(...suffixes) {
      const file = join(await tempFolder(), 'dns.json');
      const services = [[suffixes, [url]]];
      await writeFile(file, JSON.stringify({ version: '1.0', publication: '2026-11-01T00:00:00Z', services }));
      return file;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function serve({ method, url: path = '', headers }: IncomingMessage, response: ServerResponse): unknown {
    const name = decodeURIComponent(DOMAIN_PATH.exec(path)?.[1] ?? '').toLowerCase();
    if (method !== 'GET' && method !== 'HEAD') return refuse(response, 501, 'Not Implemented');
    if (headers.accept !== 'application/rdap+json') return refuse(response, 406, 'Not Acceptable');
    if (!LDH_NAME.test(name)) return refuse(response, 400, 'Bad Request');
    double.asked.push(name);
    if (double.answer?.(name, response)) return undefined;
    if (double.limitedFor !== null)
      return refuse(response, 429, 'Too Many Requests', { 'retry-after': String(double.limitedFor) });
    const found = double.registered.get(name);
    if (found === undefined) return refuse(response, 404, 'Object Not Found');
    return send(response, 200, domainObject(name, found));
  }

  return double;
}

/** Returns a domain object as registries publish it. The people in it are redacted, as is usual. */
const domainObject = (name: string, { registeredAt, expiresAt, transferredAt }: Registered) => ({
  rdapConformance: ['rdap_level_0', 'icann_rdap_technical_implementation_guide_1'],
  objectClassName: 'domain',
  handle: 'D123456-LAB',
  ldhName: name.toUpperCase(),
  status: ['client transfer prohibited'],
  entities: [{ objectClassName: 'entity', handle: '292', roles: ['registrar'] }],
  events: [
    { eventAction: 'registration', eventDate: registeredAt.toISOString() },
    ...(expiresAt === null ? [] : [{ eventAction: 'expiration', eventDate: expiresAt.toISOString() }]),
    ...(transferredAt === undefined ? [] : [{ eventAction: 'transfer', eventDate: transferredAt.toISOString() }]),
    { eventAction: 'last update of RDAP database', eventDate: '2026-11-18T00:00:00Z' },
  ],
  secureDNS: { delegationSigned: false },
});

/** Sends an error body (RFC 9083 section 6). */
const refuse = (response: ServerResponse, errorCode: number, title: string, headers: Record<string, string> = {}) =>
  send(response, errorCode, { rdapConformance: ['rdap_level_0'], errorCode, title, description: [] }, headers);

const send = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/rdap+json', ...headers }).end(JSON.stringify(body));
