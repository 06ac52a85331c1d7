import {
  STANDINGS,
  UNKNOWN_NAME,
  type AdmissionChange,
  type Admittance,
  type NameChange,
  type OriginChange,
  isLeftToWildcard,
  keepsHostname,
  NO_BRANDING,
  type Standing,
  whileSuspended,
} from '../domain/edge/admission.ts';
import type { EdgeRoute } from '../domain/edge/own-route.ts';
import { isWildcard } from '../domain/certificate/dns-validation.ts';
import { NameTable } from './name-table.ts';

const NO_ORIGIN = { sequence: 0, origin_url: null, ...NO_BRANDING, secrets: [] };

/**
 * Every proved hostname with its admission and origin. Changes may arrive in any order and repeatedly; only a newer
 * sequence counts. A lost admission stays as a tombstone, so that an older change cannot bring it back.
 */
export class AdmissionTable {
  /** The tag of a name is the index of its admission. */
  private readonly names = new NameTable();
  private sequences = new Float64Array(1_024);
  private owners = new Uint32Array(1_024);
  private readonly applications = new Map<string, number>();
  private readonly applicationIds: string[] = [];
  private readonly origins: Omit<OriginChange, 'application_id' | 'suspended'>[] = [];
  /** Applications of suspended tenants. While there are none, the tag alone decides. */
  private readonly suspended = new Set<number>();
  /** Certificates of ours, by the number of their hostname. Most hostnames have none. */
  private readonly certificates = new Map<number, string>();
  /** Routes of connections that have one of their own, by the number of their hostname. Most have none. */
  private readonly routes = new Map<number, EdgeRoute>();
  /** While there is none, hostnames are looked up once. */
  private hasWildcards = false;

  get size(): number {
    return this.names.size;
  }

  /** Applies a change, and returns whether it was new. */
  apply(change: AdmissionChange): boolean {
    return 'hostname' in change ? this.applyName(change) : this.applyOrigin(change);
  }

  /** Returns all rows as changes that would fill an empty table. */
  *changes(): Generator<AdmissionChange> {
    for (const [owner, application_id] of this.applicationIds.entries()) {
      const origin = this.origins[owner] ?? NO_ORIGIN;
      if (origin.sequence > 0) yield { application_id, ...origin, suspended: this.suspended.has(owner) };
    }
    for (const { name: hostname, place } of this.names.entries()) {
      const number = this.names.numberAt(place);
      const application_id = this.applicationIds[this.owners[number] ?? 0] ?? '';
      yield {
        hostname,
        sequence: this.sequences[number] ?? 0,
        standing: this.ownStandingAt(place),
        application_id,
        certificate_id: this.certificates.get(number) ?? null,
        route: this.routes.get(number) ?? null,
      };
    }
  }

  private applyName(change: NameChange): boolean {
    const { hostname, sequence, standing, application_id, certificate_id, route } = change;
    const place = this.names.add(hostname);
    this.hasWildcards ||= isWildcard(hostname);
    const number = this.names.numberAt(place);
    if (number >= this.sequences.length) this.grow();
    if (sequence <= (this.sequences[number] ?? 0)) return false;
    this.sequences[number] = sequence;
    this.owners[number] = this.ownerOf(application_id);
    this.names.setTag(place, STANDINGS.indexOf(standing));
    if (certificate_id === null) this.certificates.delete(number);
    else this.certificates.set(number, certificate_id);
    if (route === null) this.routes.delete(number);
    else this.routes.set(number, route);
    return true;
  }

  private applyOrigin({ application_id, sequence, suspended, ...origin }: OriginChange): boolean {
    const owner = this.ownerOf(application_id);
    if (sequence <= (this.origins[owner]?.sequence ?? 0)) return false;
    this.origins[owner] = { sequence, ...origin };
    if (suspended) this.suspended.add(owner);
    else this.suspended.delete(owner);
    return true;
  }

  /** Returns the admission of the hostname itself, without the wildcard above it. */
  standingOf(hostname: string): Standing {
    return this.standingAt(this.names.find(hostname));
  }

  /**
   * Returns the id of the certificate of ours for a hostname, its own or the wildcard's; null if there is none. While
   * the edge may order certificates, a hostname that waits for its own does not show the wildcard's: an edge that has a
   * certificate to show orders none.
   */
  certificateOf(hostname: string, mayOrder: boolean): string | null {
    if (this.certificates.size === 0) return null;
    const own = this.names.find(hostname);
    const isOrdering = mayOrder && this.standingAt(own) === 'pointing';
    const place = isOrdering ? own : this.decidingPlace(hostname, own);
    return place < 0 ? null : (this.certificates.get(this.names.numberAt(place)) ?? null);
  }

  /** Returns the ids of all certificates that hostnames use. */
  certificateIds(): ReadonlySet<string> {
    return new Set(this.certificates.values());
  }

  /** Returns the ids of all secrets with which requests are signed. */
  secretIds(): ReadonlySet<string> {
    return new Set(this.origins.flatMap(({ secrets }) => secrets.map(({ id }) => id)));
  }

  lookup(hostname: string): Admittance {
    const own = this.names.find(hostname);
    const place = this.decidingPlace(hostname, own);
    if (place < 0) return UNKNOWN_NAME;
    const number = this.names.numberAt(place);
    const route = this.routes.get(number) ?? null;
    const owner = this.owners[number] ?? 0;
    const { origin_url, display_name, logo_url, support_url, secrets } = this.origins[owner] ?? NO_ORIGIN;
    return {
      standing: this.standingAt(place),
      own: this.standingAt(own),
      origin_url: route?.origin_url ?? origin_url,
      route,
      application_id: this.applicationIds[owner] ?? null,
      display_name,
      logo_url,
      support_url,
      secrets,
    };
  }

  /** Returns the place of the admission that decides about a hostname: its own, or that of the wildcard above it. */
  private decidingPlace(hostname: string, own: number): number {
    const standing = this.ownStandingAt(own);
    if (!this.hasWildcards || keepsHostname(standing)) return own;
    const wildcard = this.names.findWildcard(hostname);
    return isLeftToWildcard(standing, this.standingAt(wildcard)) ? wildcard : own;
  }

  private standingAt(place: number): Standing {
    const own = this.ownStandingAt(place);
    if (place < 0 || this.suspended.size === 0) return own;
    return this.suspended.has(this.owners[this.names.numberAt(place)] ?? 0) ? whileSuspended(own) : own;
  }

  /** Returns the hostname's own admission, regardless of its tenant. */
  private ownStandingAt(place: number): Standing {
    return place < 0 ? 'none' : (STANDINGS[this.names.tagAt(place)] ?? 'none');
  }

  private ownerOf(applicationId: string): number {
    const known = this.applications.get(applicationId);
    if (known !== undefined) return known;
    const owner = this.origins.push(NO_ORIGIN) - 1;
    this.applications.set(applicationId, owner);
    this.applicationIds.push(applicationId);
    return owner;
  }

  private grow(): void {
    const size = 2 * this.sequences.length;
    const sequences = new Float64Array(size);
    sequences.set(this.sequences);
    const owners = new Uint32Array(size);
    owners.set(this.owners);
    [this.sequences, this.owners] = [sequences, owners];
  }
}
