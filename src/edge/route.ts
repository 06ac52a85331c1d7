import type { IncomingMessage, ServerResponse } from 'node:http';
import { companionHostname } from '../domain/hostname.ts';
import type { Admittance } from '../domain/edge/admission.ts';
import { strictHostname } from '../domain/hostname.ts';
import type { Admissions } from './admission.ts';
import { pooledUpstream, directUpstream, type Origin, type Upstream } from './origins.ts';
import { errorPage, PAGES, renderPage, type Page, type Site } from './pages.ts';
import { hostnameParameter, soleParameter } from './query.ts';
import type { StreamRelays } from './stream-relays.ts';

type Decision = Outcome & Pick<Site, 'displayName'>;

type Outcome =
  | { forward: Upstream }
  /** Redirects the visitor to this host by https: from http, or from a companion. */
  | { sendTo: string }
  | { page: keyof typeof PAGES };

export interface RouteOptions {
  originOf: (originUrl: string) => Promise<Origin>;
  /** Null if the edge dials origins itself for streams. */
  relays: StreamRelays | null;
  /** Whether the edge can dial the names of dial-name.ts, because their responder runs next to it. */
  dialNames: boolean;
}

/**
 * Answers where a request goes, before the edge forwards it: 204 with the origin in headers, or the page that the
 * visitor sees. It refuses by Host as soon as a change is applied, because Caddy keeps a certificate in memory
 * regardless of the hostname's state. `plain=1` marks requests without TLS, `upgrade=1` those that become a stream.
 */
export function routeHandler(admissions: Admissions, { originOf, relays, dialNames }: RouteOptions) {
  const wayTo = dialNames ? pooledUpstream : directUpstream;

  async function decide(query: string, reachedAt: string | undefined): Promise<Decision> {
    const host = hostnameParameter(query, 'host');
    if (host === undefined) return { page: 'malformed', displayName: null };
    const known = await admissions.lookup(host);
    return { ...(await outcomeFor(host, known, query, reachedAt)), displayName: shownName(known) };
  }

  async function outcomeFor(
    host: string,
    { standing, originUrl }: Admittance,
    query: string,
    reachedAt: string | undefined,
  ): Promise<Outcome> {
    if (standing === 'archived' || standing === 'blocked') return { page: standing };
    if (soleParameter(query, 'plain') === '1') return standing === 'none' ? toNeighbour(host) : { sendTo: host };
    if (standing === 'none') return { page: 'unknown' };
    if (standing === 'held' || standing === 'pointing') return { page: 'settingUp' };
    if (standing === 'redirecting') return toMain(host);
    if (originUrl === null) return { page: 'noOrigin' };
    try {
      const origin = await originOf(originUrl);
      const isStream = relays !== null && reachedAt !== undefined && soleParameter(query, 'upgrade') === '1';
      if (!isStream) return { forward: wayTo(origin) };
      return { forward: { ...directUpstream(origin), dial: await relays.to(host, originUrl, origin, reachedAt) } };
    } catch {
      return { page: 'originUnknown' };
    }
  }

  /** Redirects from a companion to its connection. Until that one serves, the redirect would end in an error. */
  async function toMain(host: string): Promise<Outcome> {
    const main = companionHostname(host);
    return (await admissions.lookup(main)).standing === 'serving' ? { sendTo: main } : { page: 'settingUp' };
  }

  /**
   * Redirects from an unconnected hostname to its connected companion. It never gets a certificate, so this works
   * without TLS only.
   */
  async function toNeighbour(host: string): Promise<Outcome> {
    const neighbour = companionHostname(host);
    if (!strictHostname(neighbour, { test: true }).ok) return { page: 'unknown' };
    const { standing } = await admissions.lookup(neighbour);
    return standing === 'serving' ? { sendTo: neighbour } : { page: 'unknown' };
  }

  return ({ socket }: IncomingMessage, response: ServerResponse, query: string): void => {
    decide(query, socket.localAddress).then(
      (decision) => answer(response, decision, query),
      () => answer(response, { page: 'unavailable', displayName: null }, query),
    );
  };
}

/** Returns the page for an error of the edge, with the error's status. */
export const pageHandler =
  (admissions: Admissions) =>
  (response: ServerResponse, query: string): void => {
    const status = Number(soleParameter(query, 'status'));
    const page = errorPage(status >= 400 && status <= 599 ? Math.floor(status) : 500);
    const known = async () => admissions.lookup(hostnameParameter(query, 'host') ?? '');
    known().then(
      (admittance) => show(response, page, query, shownName(admittance)),
      () => show(response, page, query, null),
    );
  };

/** Returns the name to show. A hostname that has left its tenant, or is blocked, does not show the tenant's name. */
const shownName = ({ standing, displayName }: Admittance): string | null =>
  standing === 'archived' || standing === 'blocked' ? null : displayName;

function show(response: ServerResponse, page: Page, query: string, displayName: string | null): void {
  const { headers, body } = renderPage(page, { host: hostnameParameter(query, 'host') ?? null, displayName });
  response.writeHead(page.status, headers).end(body);
}

function answer(response: ServerResponse, decision: Decision, query: string): void {
  if ('page' in decision) {
    show(response, PAGES[decision.page], query, decision.displayName);
  } else if ('forward' in decision) {
    const { dial, host, name, scheme } = decision.forward;
    const headers = { 'x-origin-dial': dial, 'x-origin-host': host, 'x-origin-name': name, 'x-origin-scheme': scheme };
    response.writeHead(204, headers).end();
  } else {
    response.writeHead(204, { 'x-origin-host': decision.sendTo, 'x-origin-scheme': 'redirect' }).end();
  }
}
