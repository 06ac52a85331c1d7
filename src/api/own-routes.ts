import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { nextHop } from '../db/connection/own-routes.ts';
import type { Tx } from '../db/pool.ts';
import { changedRoute, type OwnRoute, type RouteChange } from '../domain/edge/own-route.ts';
import { invalid, type Problem } from '../domain/errors.ts';
import type { ApiDeps } from './deps.ts';
import { checkOriginUrl, checkRedirectUrl, privateAddress, isPrivate } from './origins.ts';
import type { GivenRoute } from './schemas/own-routes.ts';

/** Names of the fields that make a connection's own route. */
export const ROUTE_FIELDS = [
  'origin_url',
  'host_header',
  'metadata',
  'redirect',
  'security_headers',
  'maintenance',
] as const satisfies (keyof GivenRoute)[];

/** Origins of a request that no edge may dial. It queries DNS, so it runs before the transaction. */
export async function undialableOrigins(
  given: readonly GivenRoute[],
  deps: Pick<ApiDeps, 'ownHosts' | 'originDial'>,
): Promise<ReadonlySet<string>> {
  const urls = given.flatMap(({ origin_url: url }) =>
    typeof url === 'string' && checkOriginUrl(url, '', deps.ownHosts).ok ? [url] : [],
  );
  const refused = new Set<string>();
  for (const url of new Set(urls)) if (await isPrivate(url, deps.originDial)) refused.add(url);
  return refused;
}

interface Wanted {
  /** The stored route; null before the connection exists. */
  before: OwnRoute | null;
  given: GivenRoute;
  /** Field of the request, for messages. */
  path: string;
  undialable: ReadonlySet<string>;
}

/** Returns the route after the request, or everything that is wrong with it. */
export function routeOf(
  { before, given, path, undialable }: Wanted,
  { ownHosts }: Pick<ApiDeps, 'ownHosts'>,
): { route: OwnRoute | null } | { problems: Problem[] } {
  const problems: Problem[] = [];
  const problem = (field: string, code: string, message: string) =>
    problems.push({ path: `${path}.${field}`, code, message: `${path}.${field}: ${message}` });
  const { origin_url, host_header, metadata, redirect, security_headers, maintenance } = given;
  const change: RouteChange = {};
  if (origin_url === null) change.origin_url = null;
  else if (origin_url !== undefined) {
    const checked = checkOriginUrl(origin_url, `${path}.origin_url`, ownHosts);
    if (!checked.ok) problems.push(checked.problem);
    else if (undialable.has(origin_url)) problems.push(privateAddress(origin_url, `${path}.origin_url`));
    else change.origin_url = checked.value;
  }
  if (host_header !== undefined) change.host_header = host_header === 'visitor' ? 'visitor' : null;
  if (metadata !== undefined) change.metadata = metadata;
  if (metadata && Buffer.byteLength(JSON.stringify(metadata)) > MOST_METADATA)
    problem('metadata', 'too_large', 'is larger than 4 kB as JSON.');
  if (redirect === null) change.redirect = null;
  else if (redirect !== undefined) {
    const checked = checkRedirectUrl(redirect.to, `${path}.redirect.to`);
    if (!checked.ok) problems.push(checked.problem);
    else change.redirect = { status: 308, keep_path: true, ...redirect, to: checked.value };
  }
  if (security_headers !== undefined) change.hsts_max_age = security_headers?.hsts_max_age ?? null;
  if (maintenance !== undefined) change.maintenance = maintenance?.message ?? null;
  const route = changedRoute(before, change);
  if (route?.redirect !== undefined && route.origin_url !== undefined)
    problem('redirect', 'redirect_and_origin', 'a connection has either a redirect or an origin of its own.');
  return problems.length === 0 ? { route } : { problems };
}

export const MOST_METADATA = 4_096;
const MOST_HOPS = 10;

interface Looping {
  hostname: string;
  route: OwnRoute | null;
  /** Hostname that will redirect to this one, if a companion is being connected. */
  companion?: string | null;
}

/** Returns the problem of a redirect that returns to its own hostname, through connections of the tenant, or of such an origin. */
export async function loopProblem(
  tx: Tx,
  { hostname, route, companion = null }: Looping,
  path: string,
): Promise<Problem | null> {
  if (route?.origin_url !== undefined && new URL(route.origin_url).hostname === hostname)
    return {
      path: `${path}.origin_url`,
      code: 'loop',
      message: `${path}.origin_url: must not be the hostname itself.`,
    };
  if (route?.redirect === undefined) return null;
  let next: string | undefined = new URL(route.redirect.to).hostname;
  for (let hop = 0; next !== undefined && hop < MOST_HOPS; hop++) {
    if (next === hostname || next === companion)
      return {
        path: `${path}.redirect`,
        code: 'loop',
        message: `${path}.redirect: visitors would return to ${hostname}.`,
      };
    next = await nextHop(tx, next);
  }
  return null;
}

/** Throws the problem of a redirect or an origin that returns to its own hostname. */
export async function refuseLoop(tx: Tx, looping: Looping, path: string): Promise<void> {
  const problem = await loopProblem(tx, looping, path);
  if (problem !== null) throw invalid([problem]);
}

export function presentRoute({ route }: Pick<ConnectionRow, 'route'>) {
  const { origin_url = null, host_header = 'origin', metadata = null, redirect = null } = route ?? {};
  return {
    origin_url,
    host_header,
    metadata,
    redirect,
    security_headers: route?.hsts_max_age === undefined ? null : { hsts_max_age: route.hsts_max_age },
    maintenance: route?.maintenance === undefined ? null : { message: route.maintenance },
  };
}
