import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admittance } from '../domain/edge/admission.ts';
import { companionHostname, strictHostname } from '../domain/hostname.ts';
import type { Admissions } from './admission.ts';
import { pooledUpstream, directUpstream, type Origin, type Upstream } from './origins.ts';
import { errorPage, pageNamed, renderPage, type Page, type PageName, type Site } from './pages.ts';
import { visitorLocale } from './visitor-language.ts';
import type { PageQuery, RouteQuery } from './query.ts';
import type { StreamRelays } from './stream-relays.ts';

type Decision = Outcome & Pick<Site, 'display_name'>;

type Outcome =
  | { forward: Upstream }
  /** Redirects the visitor to this host by https: from http, or from a companion. */
  | { sendTo: string }
  | { page: PageName };

export interface RouteOptions {
  originOf: (originUrl: string) => Promise<Origin>;
  /** Null if the edge dials origins itself for streams. */
  relays: StreamRelays | null;
  /** Whether the edge can dial the names of dial-name.ts, because their responder runs next to it. */
  dialNames: boolean;
}

/**
 * Answers where a request goes: 204 with the origin in headers, or a page. It refuses by Host, because Caddy keeps
 * certificates in memory. `plain=1` marks requests without TLS, `upgrade=1` those that become a stream.
 */
export function routeHandler(admissions: Admissions, { originOf, relays, dialNames }: RouteOptions) {
  const upstreamOf = dialNames ? pooledUpstream : directUpstream;

  async function decide(query: RouteQuery, reachedAt: string | undefined): Promise<Decision> {
    const { hostname } = query;
    if (hostname === undefined) return { page: 'malformed', display_name: null };
    const known = await admissions.lookup(hostname);
    return { ...(await outcomeFor(hostname, known, query, reachedAt)), display_name: shownName(known) };
  }

  async function outcomeFor(
    host: string,
    { standing, origin_url }: Admittance,
    { isPlain, isUpgrade }: RouteQuery,
    reachedAt: string | undefined,
  ): Promise<Outcome> {
    if (standing === 'archived' || standing === 'blocked') return { page: standing };
    if (isPlain) return standing === 'none' ? toNeighbour(host) : { sendTo: host };
    if (standing === 'none') return { page: 'unknown' };
    if (standing === 'held' || standing === 'pointing') return { page: 'settingUp' };
    if (standing === 'redirecting') return toMain(host);
    if (origin_url === null) return { page: 'noOrigin' };
    try {
      const origin = await originOf(origin_url);
      const isStream = isUpgrade && relays !== null && reachedAt !== undefined;
      if (!isStream) return { forward: upstreamOf(origin) };
      return { forward: { ...directUpstream(origin), dial: await relays.to(host, origin_url, origin, reachedAt) } };
    } catch {
      return { page: 'originUnknown' };
    }
  }

  /** Whether the hostname's own connection serves it. A wildcard above it has no companions. */
  const servesItself = async (host: string): Promise<boolean> => (await admissions.lookup(host)).own === 'serving';

  /** Redirects from a companion to its connection. Until that one serves, the redirect would end in an error. */
  async function toMain(host: string): Promise<Outcome> {
    const main = companionHostname(host);
    return (await servesItself(main)) ? { sendTo: main } : { page: 'settingUp' };
  }

  /** Redirects from an unconnected hostname to its companion. It never gets a certificate, so only without TLS. */
  async function toNeighbour(host: string): Promise<Outcome> {
    const neighbour = companionHostname(host);
    if (!strictHostname(neighbour, { test: true }).ok) return { page: 'unknown' };
    return (await servesItself(neighbour)) ? { sendTo: neighbour } : { page: 'unknown' };
  }

  return (request: IncomingMessage, response: ServerResponse, query: RouteQuery): void => {
    const host = query.hostname ?? null;
    decide(query, request.socket.localAddress).then(
      (decision) => answer(request, response, decision, host),
      () => answer(request, response, { page: 'unavailable', display_name: null }, host),
    );
  };
}

/** Returns the page for an error of the edge, with the error's status. */
export const pageHandler =
  (admissions: Admissions) =>
  (request: IncomingMessage, response: ServerResponse, { hostname, status }: PageQuery): void => {
    const page = errorPage(status >= 400 && status <= 599 ? Math.floor(status) : 500);
    const host = hostname ?? null;
    const known = async () => admissions.lookup(hostname ?? '');
    known().then(
      (admittance) => show(request, response, page, { host, display_name: shownName(admittance) }),
      () => show(request, response, page, { host, display_name: null }),
    );
  };

/** Returns the name to show. A hostname that has left its tenant, or is blocked, does not show the tenant's name. */
const shownName = ({ standing, display_name }: Admittance): string | null =>
  standing === 'archived' || standing === 'blocked' ? null : display_name;

function show(request: IncomingMessage, response: ServerResponse, page: Page, site: Site): void {
  const { headers, body } = renderPage(page, site, visitorLocale(request.headers['accept-language']));
  response.writeHead(page.status, headers).end(body);
}

function answer(request: IncomingMessage, response: ServerResponse, decision: Decision, host: string | null): void {
  if ('page' in decision) {
    show(request, response, pageNamed(decision.page), { host, display_name: decision.display_name });
  } else if ('forward' in decision) {
    const { dial, host, name, scheme } = decision.forward;
    const headers = { 'x-origin-dial': dial, 'x-origin-host': host, 'x-origin-name': name, 'x-origin-scheme': scheme };
    response.writeHead(204, headers).end();
  } else {
    response.writeHead(204, { 'x-origin-host': decision.sendTo, 'x-origin-scheme': 'redirect' }).end();
  }
}
