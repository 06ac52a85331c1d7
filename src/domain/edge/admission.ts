import type { EdgeRoute } from './own-route.ts';

/**
 * Admission of a hostname. `held`: proved. `pointing`: its DNS also points at the edge, so a public CA can validate it.
 * `ready`: it does not point here yet, but has a certificate, and requests are forwarded. `serving`: they are forwarded. `redirecting`: they are redirected to its companion. `archived`: connected before.
 */
export const STANDINGS = [
  'none',
  'held',
  'serving',
  'archived',
  'pointing',
  'redirecting',
  'blocked',
  'ready',
] as const;
export type Standing = (typeof STANDINGS)[number];

/** Returns the admission while the tenant is suspended: blocked, unless there is nothing to block. */
export const whileSuspended = (standing: Standing): Standing =>
  standing === 'none' || standing === 'archived' ? standing : 'blocked';

/** Whether visitors get a response: from the origin, or a redirect. */
export const isServed = (standing: Standing): boolean =>
  standing === 'serving' || standing === 'redirecting' || standing === 'ready';

/** Whether a connection keeps its hostname, although a wildcard covers the hostname too. `own` ignores a suspension. */
export const keepsHostname = (own: Standing): boolean => (isServed(own) && own !== 'ready') || own === 'blocked';

/**
 * Whether the wildcard above a hostname decides about it. A connection of the hostname's own takes it over when it
 * becomes live, so that visitors see no gap before, and an archived one returns it.
 */
export function isLeftToWildcard(own: Standing, wildcard: Standing): boolean {
  if (keepsHostname(own)) return false;
  return own === 'none' || own === 'archived' ? wildcard !== 'none' : isServed(wildcard) || wildcard === 'blocked';
}

export interface NameChange {
  sequence: number;
  hostname: string;
  standing: Standing;
  application_id: string;
  /** The certificate of ours to serve; null if the edge obtains its own. */
  certificate_id: string | null;
  /** Settings of the connection's own; null if all are its application's. */
  route: EdgeRoute | null;
}

export interface OriginChange {
  sequence: number;
  application_id: string;
  origin_url: string | null;
  /** Name for visitors on the edge's own pages. */
  display_name: string | null;
  /** Whether the tenant, and with it every hostname of the application, is suspended. */
  suspended: boolean;
}

export type AdmissionChange = NameChange | OriginChange;

export interface Admittance {
  /** Admission of the hostname, or of the wildcard that decides about it. */
  standing: Standing;
  /** Admission of the hostname itself. It alone decides whether the edge may order a certificate for the hostname. */
  own: Standing;
  /** Origin of the connection or of its application; null if neither has one. */
  origin_url: string | null;
  route: EdgeRoute | null;
  /** The application's name for visitors; null if it has none. */
  display_name: string | null;
}

export const UNKNOWN_NAME: Admittance = {
  standing: 'none',
  own: 'none',
  origin_url: null,
  route: null,
  display_name: null,
};
