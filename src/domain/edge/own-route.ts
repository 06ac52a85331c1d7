import { DAY } from '../duration.ts';

export const REDIRECT_STATUSES = [301, 302, 307, 308] as const;

export interface Redirect {
  /** An absolute https URL without query. */
  to: string;
  status: (typeof REDIRECT_STATUSES)[number];
  /** Whether path and query of the request are appended. */
  keep_path: boolean;
}

/** Settings of a connection in place of its application's. An absent field follows the application. */
export interface OwnRoute {
  origin_url?: string;
  /** The origin sees the visitor's Host in place of its own. */
  host_header?: 'visitor';
  /** Values for the origin. */
  metadata?: Readonly<Record<string, string>>;
  redirect?: Redirect;
  hsts_max_age?: number;
  /** Text of the page that visitors get in place of the site. */
  maintenance?: string;
}

/** A connection's own route as edges know it. */
export interface EdgeRoute extends OwnRoute {
  /** When the connection became live, in milliseconds of the epoch; null before. */
  live_at: number | null;
}

export type Destination =
  | { kind: 'maintenance'; message: string }
  | { kind: 'redirect'; redirect: Redirect }
  | { kind: 'origin'; url: string }
  | { kind: 'none' };

/** Returns where requests go. Maintenance comes before a redirect, and a redirect before the origin. */
export function destinationOf({
  route,
  origin_url,
}: {
  route: OwnRoute | null;
  origin_url: string | null;
}): Destination {
  if (route?.maintenance !== undefined) return { kind: 'maintenance', message: route.maintenance };
  if (route?.redirect !== undefined) return { kind: 'redirect', redirect: route.redirect };
  return origin_url === null ? { kind: 'none' } : { kind: 'origin', url: origin_url };
}

/** Whether a connection has been live for a day, so that browsers may remember its answers. */
export const isSteady = (route: EdgeRoute | null, now: number): boolean =>
  route?.live_at != null && now - route.live_at >= DAY;

const USUAL_HSTS = DAY / 1_000;

/** Returns for how many seconds browsers use https only (RFC 6797): a day, until a connection that wants more is steady. */
export const hstsMaxAge = (route: EdgeRoute | null, now: number): number =>
  route?.hsts_max_age === undefined || !isSteady(route, now) ? USUAL_HSTS : route.hsts_max_age;

/** Changes to a connection's own route: absent keeps, null returns to the application's value. */
export type RouteChange = { [K in keyof OwnRoute]?: OwnRoute[K] | null };

/** Returns the route after a change; null if nothing of its own is left. */
export function changedRoute(route: OwnRoute | null, change: RouteChange): OwnRoute | null {
  const entries = Object.entries({ ...route, ...change }).filter(([, value]) => value != null);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}
