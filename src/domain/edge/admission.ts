import type { EdgeRoute } from './own-route.ts';
import type { SigningSecret } from './signature.ts';

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

/** An application's signs on the edge's own pages, for visitors. */
export interface Branding {
  display_name: string | null;
  logo_url: string | null;
  support_url: string | null;
}

export const NO_BRANDING: Branding = { display_name: null, logo_url: null, support_url: null };

/** Returns the branding among other fields. */
export const brandingOf = ({ display_name, logo_url, support_url }: Branding): Branding => ({
  display_name,
  logo_url,
  support_url,
});

export interface OriginChange extends Branding {
  sequence: number;
  application_id: string;
  origin_url: string | null;
  /** Whether the tenant, and with it every hostname of the application, is suspended. */
  suspended: boolean;
  /** Secrets with which edges sign requests to the origin. */
  secrets: readonly SigningSecret[];
}

export type AdmissionChange = NameChange | OriginChange;

export interface Admittance extends Branding {
  /** Admission of the hostname, or of the wildcard that decides about it. */
  standing: Standing;
  /** Admission of the hostname itself. It alone decides whether the edge may order a certificate for the hostname. */
  own: Standing;
  /** Origin of the connection or of its application; null if neither has one. */
  origin_url: string | null;
  route: EdgeRoute | null;
  /** Null if the hostname is unknown, or if an API of an earlier version answered. */
  application_id: string | null;
  /** The application's secrets for signatures; empty if nothing is signed. */
  secrets: readonly SigningSecret[];
}

export const UNKNOWN_NAME: Admittance = {
  standing: 'none',
  own: 'none',
  origin_url: null,
  route: null,
  application_id: null,
  ...NO_BRANDING,
  secrets: [],
};
