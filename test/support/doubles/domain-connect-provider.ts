import { createPublicKey, verify } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import type { DcRecord, DcTemplate } from '../../../src/domain/zone/domain-connect.ts';
import { makeCertificate } from '../servers/pebble.ts';
import { tempFolder } from '../temp-folder.ts';

/**
 * A DNS provider with Domain Connect. It knows some templates, verifies the signature of requests, and writes the
 * records that a person allows.
 */
export interface DomainConnectProvider {
  /** Value of `_domainconnect` and of DOMAIN_CONNECT_HOSTS. */
  endpoint: string;
  url: string;
  /** The self-signed certificate, as text and as a file. */
  ca: string;
  caFile: string;
  /** Requested paths, in order. */
  asked: string[];
  /** Overrides the provider's own answers, for tests that make it lie. Returns whether it answered. */
  answer: ((path: string, response: ServerResponse) => boolean) | null;
  stop(): Promise<void>;
}

interface Parts {
  templates: readonly DcTemplate[];
  /** Resolver for the public keys of requests: `ip:port`. */
  resolver?: string;
  write?(domain: string, name: string, type: string, value: string): Promise<void>;
}

const APPLY = /^\/ux\/v2\/domainTemplates\/providers\/([^/]+)\/services\/([^/]+)\/apply$/;
const SUPPORT = /^\/api\/v2\/domainTemplates\/providers\/([^/]+)\/services\/([^/]+)$/;

export async function startDomainConnectProvider(parts: Parts): Promise<DomainConnectProvider> {
  const folder = await tempFolder();
  const [keyFile, caFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  makeCertificate(keyFile, caFile, 'DNS:localhost');
  const [key, cert] = await Promise.all([readFile(keyFile), readFile(caFile, 'utf8')]);
  const server = createServer({ key, cert }, (request, response) => void serve(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `localhost:${(server.address() as AddressInfo).port}`;
  const url = `https://${endpoint}`;
  const provider: DomainConnectProvider = {
    endpoint,
    url,
    ca: cert,
    caFile,
    asked: [],
    answer: null,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = new URL(request.url ?? '/', url);
    provider.asked.push(at.pathname);
    if (provider.answer?.(at.pathname, response)) return;
    const templateOf = (match: RegExpExecArray | null) =>
      parts.templates.find(({ providerId, serviceId }) => providerId === match?.[1] && serviceId === match[2]);
    const applied = templateOf(APPLY.exec(at.pathname));
    if (/^\/v2\/[^/]+\/settings$/.test(at.pathname)) json(response, 200, settings());
    else if (SUPPORT.test(at.pathname)) json(response, templateOf(SUPPORT.exec(at.pathname)) ? 200 : 404, {});
    else if (applied === undefined) response.writeHead(404).end();
    else if (request.method === 'POST') await consent(request, response, applied, at);
    else await ask(response, applied, at);
  }

  const settings = () => ({
    providerId: 'double.example',
    providerName: 'Double',
    providerDisplayName: 'Double DNS',
    urlAPI: `${url}/api`,
    urlSyncUX: `${url}/ux`,
    urlControlPanel: `${url}/panel?domain=%domain%`,
  });

  /** Serves the page on which the customer consents, for a signed request only. */
  async function ask(response: ServerResponse, template: DcTemplate, at: URL): Promise<void> {
    if (!(await isSignedFor(template, at))) {
      response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>The request is not signed</h1>');
      return;
    }
    const list = recordsOf(template, at)
      .map(({ name, type, value }) => `<li>${type} ${name} ${value}</li>`)
      .join('');
    response.writeHead(200, { 'content-type': 'text/html' }).end(
      `<!doctype html><title>Consent</title><h1>${template.providerName} wants to change ${at.searchParams.get('domain') ?? ''}</h1>
       <ul>${list}</ul><form method="post"><button name="decision" value="allow">Allow</button>
       <button name="decision" value="cancel">Cancel</button></form>`,
    );
  }

  async function consent(
    request: IncomingMessage,
    response: ServerResponse,
    template: DcTemplate,
    at: URL,
  ): Promise<void> {
    const isAllowed = new URLSearchParams(await text(request)).get('decision') === 'allow';
    const back = new URL(at.searchParams.get('redirect_uri') ?? '');
    if (!(await isSignedFor(template, at)) || back.hostname !== template.syncRedirectDomain) {
      response.writeHead(403).end();
      return;
    }
    back.searchParams.set('state', at.searchParams.get('state') ?? '');
    if (!isAllowed) {
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('error_description', 'user_cancel');
    } else {
      for (const { name, type, value } of recordsOf(template, at))
        await parts.write?.(at.searchParams.get('domain') ?? '', name, type, value);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  /**
   * As the standard requires: verifies the unchanged query without sig and key, with the key at the template's own
   * domain.
   */
  async function isSignedFor({ syncPubKeyDomain }: DcTemplate, at: URL): Promise<boolean> {
    const query = at.search
      .slice(1)
      .split('&')
      .filter((pair) => !/^(sig|key)=/.test(pair))
      .join('&');
    const resolver = new Resolver();
    resolver.setServers([parts.resolver ?? '127.0.0.1']);
    const strings = await resolver
      .resolveTxt(`${at.searchParams.get('key') ?? ''}.${syncPubKeyDomain}`)
      .catch(() => []);
    const segments = strings.map((chunks) => /^p=(\d+),a=RS256,d=(.+)$/.exec(chunks.join(''))?.slice(1) ?? ['0', '']);
    const der = segments
      .toSorted((a, b) => Number(a[0]) - Number(b[0]))
      .map(([, data]) => data)
      .join('');
    if (der === '') return false;
    const publicKey = createPublicKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'spki' });
    return verify('sha256', Buffer.from(query), publicKey, Buffer.from(at.searchParams.get('sig') ?? '', 'base64'));
  }

  return provider;
}

/** Returns the records of the template for the name, with the variables filled in. */
function recordsOf({ records }: DcTemplate, at: URL) {
  const [domain, host] = [at.searchParams.get('domain') ?? '', at.searchParams.get('host') ?? ''];
  const root = host === '' ? domain : `${host}.${domain}`;
  const filled = (value: string) => value.replace(/%(\w+)%/g, (_, name: string) => at.searchParams.get(name) ?? '');
  return records.map(({ type, host: own = '@', pointsTo, data }: DcRecord) => ({
    name: own === '@' ? root : `${own}.${root}`,
    type,
    value:
      type === 'TXT' ? `"${filled(data ?? '')}"` : type === 'CNAME' ? `${pointsTo ?? ''}.` : filled(pointsTo ?? ''),
  }));
}

const json = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
