import { isServed, type Admittance } from '../domain/edge/admission.ts';
import { destinationOf, hstsMaxAge, isSteady, type EdgeRoute, type Redirect } from '../domain/edge/own-route.ts';
import { companionHostname, strictHostname } from '../domain/hostname.ts';
import type { Admissions } from './admission.ts';
import { pooledUpstream, directUpstream, type Origin, type Upstream } from './origins.ts';
import { errorPage, pageNamed, renderPage, type Page, type PageName, type Site } from './pages.ts';
import { visitorLocale } from './visitor-language.ts';
import type { PageQuery, RouteQuery } from './query.ts';
import type { Question, Reply } from './question.ts';
import type { StreamRelays } from './stream-relays.ts';

type Decision = Outcome & Pick<Site, 'display_name'>;

type Outcome =
  | { forward: Upstream; route: EdgeRoute | null }
  /** Redirects the visitor to this hostname at the edge by https: from http, or from a companion. */
  | { sendTo: string; isLasting: boolean }
  | { redirect: Redirect }
  | { page: PageName; message?: string };

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
    known: Admittance,
    { isPlain, isUpgrade }: RouteQuery,
    reachedAt: string | undefined,
  ): Promise<Outcome> {
    const { standing, route } = known;
    if (standing === 'archived' || standing === 'blocked') return { page: standing };
    if (standing === 'none') return isPlain ? toNeighbour(host) : { page: 'unknown' };
    if (standing === 'redirecting') return toMain(host, isSteady(route, Date.now()), isPlain);
    const destination = destinationOf(known);
    if (isServed(standing) && destination.kind === 'redirect') return { redirect: destination.redirect };
    if (isPlain) return { sendTo: host, isLasting: false };
    if (!isServed(standing)) return { page: 'settingUp' };
    if (destination.kind === 'maintenance') return { page: 'maintenance', message: destination.message };
    if (destination.kind !== 'origin') return { page: 'noOrigin' };
    try {
      const origin = await originOf(destination.url);
      const isStream = isUpgrade && relays !== null && reachedAt !== undefined;
      const upstream = isStream
        ? { ...directUpstream(origin), dial: await relays.to(host, destination.url, origin, reachedAt) }
        : upstreamOf(origin);
      return { forward: route?.host_header === 'visitor' ? { ...upstream, host } : upstream, route };
    } catch {
      return { page: 'originUnknown' };
    }
  }

  /** Returns the admission of a hostname that its own connection serves. A wildcard above it has no companions. */
  async function servingItself(host: string): Promise<Admittance | null> {
    const known = await admissions.lookup(host);
    return known.own === 'serving' ? known : null;
  }

  /** Redirects from a companion to its connection. Until that one serves, the redirect would end in an error. */
  async function toMain(host: string, isLasting: boolean, isPlain: boolean): Promise<Outcome> {
    const main = companionHostname(host);
    const known = await servingItself(main);
    if (known === null) return isPlain ? { sendTo: host, isLasting: false } : { page: 'settingUp' };
    const destination = destinationOf(known);
    return destination.kind === 'redirect' ? { redirect: destination.redirect } : { sendTo: main, isLasting };
  }

  /** Redirects from an unconnected hostname to its companion. It never gets a certificate, so only without TLS. */
  async function toNeighbour(host: string): Promise<Outcome> {
    const neighbour = companionHostname(host);
    if (!strictHostname(neighbour, { test: true }).ok) return { page: 'unknown' };
    return (await servingItself(neighbour)) === null ? { page: 'unknown' } : { sendTo: neighbour, isLasting: false };
  }

  return (request: Question, response: Reply, query: RouteQuery): void => {
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
  (request: Question, response: Reply, { hostname, status }: PageQuery): void => {
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

function show(request: Question, response: Reply, page: Page, site: Site, message?: string): void {
  const { headers, body } = renderPage(page, site, visitorLocale(request.headers['accept-language']), message);
  response.writeHead(page.status, headers).end(body);
}

/** Browsers remember a redirect for an hour, so that it can change. */
const REMEMBERED = 'max-age=3600';
const isPermanent = (status: Redirect['status']): boolean => status === 301 || status === 308;

function answer(request: Question, response: Reply, decision: Decision, host: string | null): void {
  if ('page' in decision) {
    const { page, message, display_name } = decision;
    show(request, response, pageNamed(page), { host, display_name }, message);
  } else if ('forward' in decision) {
    const { dial, host, name, scheme } = decision.forward;
    const metadata = decision.route?.metadata;
    response
      .writeHead(204, {
        'x-origin-dial': dial,
        'x-origin-host': host,
        'x-origin-name': name,
        'x-origin-scheme': scheme,
        'x-origin-hsts': `max-age=${hstsMaxAge(decision.route, Date.now())}`,
        ...(metadata === undefined ? {} : { 'x-origin-metadata': encoded(metadata) }),
      })
      .end();
  } else if ('redirect' in decision) {
    const { to, status, keep_path } = decision.redirect;
    const cache = isPermanent(status) ? REMEMBERED : 'no-cache';
    // Caddy appends the path, which is the visitor's secret. A redirect without it is sent as it is.
    if (keep_path) sendElsewhere(response, 'elsewhere', to.replace(/\/$/, ''), status, cache);
    else response.writeHead(status, { location: to, 'cache-control': cache }).end();
  } else {
    const { sendTo, isLasting } = decision;
    sendElsewhere(response, 'redirect', sendTo, isLasting ? 308 : 307, isLasting ? REMEMBERED : 'no-cache');
  }
}

/** Header values are ASCII, so the JSON is sent in base64url. */
const encoded = (metadata: object): string => Buffer.from(JSON.stringify(metadata)).toString('base64url');

function sendElsewhere(
  response: Reply,
  scheme: 'redirect' | 'elsewhere',
  to: string,
  status: Redirect['status'],
  cache: string,
): void {
  const headers = {
    'x-origin-scheme': scheme,
    'x-origin-host': to,
    'x-origin-status': status,
    'x-origin-cache': cache,
  };
  response.writeHead(204, headers).end();
}
