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
  /** The edge sends the visitor to this host by https: from http, or from a companion. */
  | { sendTo: string }
  | { page: keyof typeof PAGES };

export interface RouteOptions {
  originOf: (originUrl: string) => Promise<Origin>;
  /** Null where the edge dials origins itself for streams too. */
  relays: StreamRelays | null;
  /** Whether the edge can dial the names that dial-name.ts makes, because their responder is beside it. */
  dialNames: boolean;
}

/**
 * Where a request goes, asked by the edge before it forwards one: 204 with the origin in headers, or the page that the
 * visitor sees. It refuses by Host and within the moment of the change, because a certificate that the edge once obtained
 * stays in its memory whatever happens to the name. `plain=1` marks requests without TLS, `upgrade=1` those that want to
 * become a stream.
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

  /** What a companion is for. While the name that it leads to is not there yet, it would lead to an error. */
  async function toMain(host: string): Promise<Outcome> {
    const main = companionHostname(host);
    return (await admissions.lookup(main)).standing === 'serving' ? { sendTo: main } : { page: 'settingUp' };
  }

  /**
   * The name beside one that is not connected has a certificate; the one that was typed has none and never gets one, so
   * this helps only where no TLS is asked for.
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

/** The page for an error that the edge met by itself, with the error's status. */
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

/** A name that has left its tenant, or was taken from it, does not speak for it any more. */
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
