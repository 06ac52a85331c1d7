import { isServed, type Admittance } from '../domain/edge/admission.ts';
import { destinationOf, hstsMaxAge, isSteady, type EdgeRoute, type Redirect } from '../domain/edge/own-route.ts';
import { companionHostname, strictHostname } from '../domain/hostname.ts';
import type { Admissions } from './admission.ts';
import type { AnswerGeneration } from './answer-generation.ts';
import type { OriginAttempts, RecordOrigin } from './origin-attempts.ts';
import { signatureFor, type SigningKeys } from './signature.ts';
import { pooledUpstream, directUpstream, type Origin, type Upstream } from './origins.ts';
import { pageNamed, type PageName } from './pages.ts';
import type { RouteQuery } from './query.ts';
import type { Question, Reply } from './question.ts';
import type { RequestsInProgress } from './requests-in-progress.ts';
import type { ShowPage } from './shown-page.ts';
import type { StreamRelays } from './stream-relays.ts';

type Decision = Exclude<Outcome, ErrorPage> | (ErrorPage & { known: Admittance | undefined });

type Outcome =
  | {
      forward: Upstream;
      route: EdgeRoute | null;
      metadata: string | undefined;
      signature: string | undefined;
      keep: string | undefined;
      /** Frees the request's place among those in progress; null if it is not counted. */
      onEnd: (() => void) | null;
    }
  /** Redirects the visitor to this hostname at the edge by https: from http, or from a companion. */
  | { sendTo: string; isLasting: boolean }
  | { redirect: Redirect }
  | ErrorPage;

interface ErrorPage {
  page: PageName;
  message?: string;
}

export interface RouteOptions {
  originOf: (originUrl: string) => Promise<Origin>;
  /** Null if the edge dials origins itself for streams. */
  relays: StreamRelays | null;
  /** Null if the edge cannot dial the names of dial-name.ts, because their responder does not run next to it. */
  attempts: OriginAttempts | null;
  /** Null if requests are not counted. */
  inProgress: RequestsInProgress | null;
  recordOrigin: RecordOrigin;
  signingKeys: SigningKeys;
  /** Generation of the answers that Caddy may use again; undefined if it asks for each request. */
  generation: Pick<AnswerGeneration, 'current'> | undefined;
  show: ShowPage;
}

/**
 * Answers where a request goes: 204 with the origin in headers, or a page. It refuses by Host, because Caddy keeps
 * certificates in memory. `plain=1` marks requests without TLS, `upgrade=1` those that become a stream.
 */
export function routeHandler(admissions: Admissions, options: RouteOptions) {
  const { originOf, relays, attempts, inProgress, recordOrigin, signingKeys, generation, show } = options;

  async function decide(query: RouteQuery, question: Question): Promise<Decision> {
    const { hostname } = query;
    if (hostname === undefined) return { page: 'malformed', known: undefined };
    const current = generation?.current; // before the lookup, so that a change in between ends the answer
    const known = await admissions.lookup(hostname);
    const outcome = await outcomeFor(hostname, known, query, question, current);
    return 'page' in outcome ? { ...outcome, known } : outcome;
  }

  async function outcomeFor(
    host: string,
    known: Admittance,
    query: RouteQuery,
    question: Question,
    current: string | undefined,
  ): Promise<Outcome> {
    const { isPlain } = query;
    const { standing, route, application_id: application } = known;
    if (standing === 'archived' || standing === 'blocked') return { page: standing };
    if (standing === 'none') return isPlain ? toNeighbour(host) : { page: 'unknown' };
    if (standing === 'redirecting') return toMain(host, isSteady(route, Date.now()), isPlain);
    const destination = destinationOf(known);
    if (isServed(standing) && destination.kind === 'redirect') return { redirect: destination.redirect };
    if (isPlain) return { sendTo: host, isLasting: false };
    if (!isServed(standing)) return { page: 'settingUp' };
    if (destination.kind === 'maintenance') return { page: 'maintenance', message: destination.message };
    if (destination.kind !== 'origin') return { page: 'noOrigin' };
    const owner = application ?? '';
    // A signature is that of one request, and a stream needs a relay of its own.
    const isOwn = query.isUpgrade || known.secrets.length > 0;
    const keptIn = isOwn ? undefined : current;
    const share = keptIn === undefined ? 0 : (inProgress?.share ?? UNLIMITED);
    const place = inProgress?.begin(`${owner} ${destination.url}`, share);
    if (place === null) {
      recordOrigin('refused', owner);
      return { page: 'busy' };
    }
    const onEnd = place?.onEnd ?? null;
    try {
      const origin = await originOf(destination.url);
      const upstream = await upstreamTo(query, destination.url, origin, owner, question.socket.localAddress);
      const metadata = route?.metadata && encoded(route.metadata);
      const signature = known.secrets.length === 0 ? undefined : await sign(host, known, metadata, question);
      const forward = route?.host_header === 'visitor' ? { ...upstream, host } : upstream;
      // A second name is that of one request too: its query reports that the first address failed.
      const keep = keptIn === undefined || upstream.next !== undefined ? undefined : `${keptIn} ${share}`;
      return { forward, route, metadata, signature, keep, onEnd };
    } catch {
      onEnd?.();
      return { page: 'originUnknown' };
    }
  }

  /** Returns where Caddy connects: to the origin, or for a stream to a relay at the address where Caddy reached us. */
  async function upstreamTo(
    { hostname = '', isUpgrade, canTryAnother }: RouteQuery,
    originUrl: string,
    origin: Origin,
    application: string,
    reachedAt: string | undefined,
  ): Promise<Upstream> {
    if (isUpgrade && reachedAt !== undefined && relays !== null) {
      const addresses = attempts?.order(origin, application) ?? origin.addresses;
      const dial = await relays.to(hostname, originUrl, { ...origin, addresses }, reachedAt);
      return { ...directUpstream(origin), dial };
    }
    return attempts === null
      ? directUpstream(origin)
      : pooledUpstream(origin, (one) => attempts.namesFor(one, application, canTryAnother));
  }

  /** Signs the request for its origin. A Caddyfile that does not send these headers gets no signature. */
  function sign(hostname: string, { secrets }: Admittance, metadata: string | undefined, { headers }: Question) {
    const { 'x-forwarded-method': method, 'x-forwarded-uri': uri, 'x-request-id': requestId } = headers;
    if (method === undefined || uri === undefined || requestId === undefined) return undefined;
    return signatureFor(secrets, signingKeys, { method, hostname, uri, requestId }, metadata);
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
    decide(query, request).then(
      (decision) => {
        if ('page' in decision) {
          const { page, known, message } = decision;
          show(request, response, { page: pageNamed(page), hostname: query.hostname, known, message });
        } else answer(response, decision);
      },
      () => show(request, response, { page: pageNamed('unavailable'), hostname: query.hostname, known: undefined }),
    );
  };
}

const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Browsers remember a redirect for an hour, so that it can change. */
const REMEMBERED = 'max-age=3600';
const isPermanent = (status: Redirect['status']): boolean => status === 301 || status === 308;

function answer(response: Reply, decision: Exclude<Outcome, ErrorPage>): void {
  if ('forward' in decision) {
    const { onEnd, metadata, signature, keep } = decision;
    const { dial, next, host, name, scheme } = decision.forward;
    const headers = {
      'x-origin-dial': dial,
      ...(next !== undefined && { 'x-origin-next': next }),
      'x-origin-host': host,
      'x-origin-name': name,
      'x-origin-scheme': scheme,
      'x-origin-hsts': `max-age=${hstsMaxAge(decision.route, Date.now())}`,
      ...(metadata !== undefined && { 'x-origin-metadata': metadata }),
      ...(signature !== undefined && { 'x-origin-signature': signature }),
      ...(keep !== undefined && { 'x-origin-keep': keep }),
    };
    if (onEnd !== null && response.hold !== undefined) response.hold(headers, onEnd);
    else response.writeHead(204, headers).end();
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
