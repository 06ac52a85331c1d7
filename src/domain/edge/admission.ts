/**
 * What a hostname may have: `held` is proved, `pointing` was also seen leading here, so that a public authority may be
 * asked for a certificate, `serving` also has its requests forwarded, `redirecting` leads them to the name beside it. An
 * `archived` name is refused as one that was here, a `blocked` one because the operator withholds it; `none` is every
 * other.
 */
export const STANDINGS = ['none', 'held', 'serving', 'archived', 'pointing', 'redirecting', 'blocked'] as const;
export type Standing = (typeof STANDINGS)[number];

/** What a name has whose tenant is suspended: nothing that it could lose by that is left. */
export const whileSuspended = (standing: Standing): Standing =>
  standing === 'none' || standing === 'archived' ? standing : 'blocked';

/** Visitors are answered by the name's own site, or led to it. */
export const isServed = (standing: Standing): boolean => standing === 'serving' || standing === 'redirecting';

export interface NameChange {
  sequence: number;
  hostname: string;
  standing: Standing;
  application_id: string;
}

export interface OriginChange {
  sequence: number;
  application_id: string;
  origin_url: string | null;
  /** What visitors are shown on the edge's own pages. */
  display_name: string | null;
  /** The application's tenant is, and with it every name of the application. */
  suspended: boolean;
}

export type AdmissionChange = NameChange | OriginChange;

export interface Admittance {
  standing: Standing;
  /** Where requests go; null when the application has not said. */
  originUrl: string | null;
  /** The application's name for visitors, where it has set one. */
  displayName: string | null;
}

export const UNKNOWN_NAME: Admittance = { standing: 'none', originUrl: null, displayName: null };
