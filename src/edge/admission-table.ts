import { NameTable } from './name-table.ts';

/**
 * What a hostname may have: `held` a certificate, `serving` also its requests forwarded. An `archived` name is refused
 * as one that was here; `none` is every other.
 */
export const STANDINGS = ['none', 'held', 'serving', 'archived'] as const;
export type Standing = (typeof STANDINGS)[number];

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
}

export interface Admittance {
  standing: Standing;
  /** Where requests go; null when the application has not said. */
  originUrl: string | null;
}

const NOBODY: Admittance = { standing: 'none', originUrl: null };
const NO_STANDING = 0;

/**
 * Every proved hostname with its standing and origin, in memory. Changes may come in any order and more than once: a
 * snapshot's rows mix with what was told meanwhile. Only a newer sequence counts, and a name that lost its standing stays
 * as a tombstone, so that an older change still on its way never brings it back.
 */
export class AdmissionTable {
  private readonly names = new NameTable();
  private standings = new Uint8Array(1_024);
  private sequences = new Float64Array(1_024);
  private owners = new Uint32Array(1_024);
  private readonly applications = new Map<string, number>();
  private readonly origins: { sequence: number; originUrl: string | null }[] = [];

  get size(): number {
    return this.names.size;
  }

  applyName({ hostname, sequence, standing, application_id }: NameChange): void {
    const number = this.names.add(hostname);
    if (number >= this.standings.length) this.grow();
    if (sequence <= (this.sequences[number] ?? 0)) return;
    this.sequences[number] = sequence;
    this.standings[number] = STANDINGS.indexOf(standing);
    this.owners[number] = this.ownerOf(application_id);
  }

  applyOrigin({ application_id, sequence, origin_url }: OriginChange): void {
    const owner = this.ownerOf(application_id);
    if (sequence > (this.origins[owner]?.sequence ?? 0)) this.origins[owner] = { sequence, originUrl: origin_url };
  }

  standingOf(hostname: string): Standing {
    const number = this.names.find(hostname);
    return number < 0 ? 'none' : (STANDINGS[this.standings[number] ?? NO_STANDING] ?? 'none');
  }

  lookup(hostname: string): Admittance {
    const number = this.names.find(hostname);
    if (number < 0) return NOBODY;
    const standing = STANDINGS[this.standings[number] ?? NO_STANDING] ?? 'none';
    return { standing, originUrl: this.origins[this.owners[number] ?? 0]?.originUrl ?? null };
  }

  private ownerOf(applicationId: string): number {
    const known = this.applications.get(applicationId);
    if (known !== undefined) return known;
    const owner = this.origins.push({ sequence: 0, originUrl: null }) - 1;
    this.applications.set(applicationId, owner);
    return owner;
  }

  private grow(): void {
    const size = 2 * this.standings.length;
    const standings = new Uint8Array(size);
    standings.set(this.standings);
    const sequences = new Float64Array(size);
    sequences.set(this.sequences);
    const owners = new Uint32Array(size);
    owners.set(this.owners);
    [this.standings, this.sequences, this.owners] = [standings, sequences, owners];
  }
}
