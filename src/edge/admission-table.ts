import { NameTable } from './name-table.ts';

/**
 * What a hostname may have: `held` is proved, `pointing` was also seen leading here, so that a public authority may be
 * asked for a certificate, `serving` also has its requests forwarded, `redirecting` leads them to the name beside it. An
 * `archived` name is refused as one that was here; `none` is every other.
 */
export const STANDINGS = ['none', 'held', 'serving', 'archived', 'pointing', 'redirecting'] as const;
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

const UNKNOWN: Admittance = { standing: 'none', originUrl: null };

/**
 * Every proved hostname with its standing and origin, in memory. Changes may come in any order and more than once: a
 * snapshot's rows mix with what was told meanwhile. Only a newer sequence counts, and a name that lost its standing stays
 * as a tombstone, so that an older change still on its way never brings it back.
 */
export class AdmissionTable {
  /** A name's tag is the index of its standing. */
  private readonly names = new NameTable();
  private sequences = new Float64Array(1_024);
  private owners = new Uint32Array(1_024);
  private readonly applications = new Map<string, number>();
  private readonly origins: { sequence: number; originUrl: string | null }[] = [];

  get size(): number {
    return this.names.size;
  }

  applyName({ hostname, sequence, standing, application_id }: NameChange): void {
    const place = this.names.add(hostname);
    const number = this.names.numberAt(place);
    if (number >= this.sequences.length) this.grow();
    if (sequence <= (this.sequences[number] ?? 0)) return;
    this.sequences[number] = sequence;
    this.owners[number] = this.ownerOf(application_id);
    this.names.setTag(place, STANDINGS.indexOf(standing));
  }

  applyOrigin({ application_id, sequence, origin_url }: OriginChange): void {
    const owner = this.ownerOf(application_id);
    if (sequence > (this.origins[owner]?.sequence ?? 0)) this.origins[owner] = { sequence, originUrl: origin_url };
  }

  standingOf(hostname: string): Standing {
    return this.standingAt(this.names.find(hostname));
  }

  lookup(hostname: string): Admittance {
    const place = this.names.find(hostname);
    if (place < 0) return UNKNOWN;
    const owner = this.owners[this.names.numberAt(place)] ?? 0;
    return { standing: this.standingAt(place), originUrl: this.origins[owner]?.originUrl ?? null };
  }

  private standingAt(place: number): Standing {
    return place < 0 ? 'none' : (STANDINGS[this.names.tagAt(place)] ?? 'none');
  }

  private ownerOf(applicationId: string): number {
    const known = this.applications.get(applicationId);
    if (known !== undefined) return known;
    const owner = this.origins.push({ sequence: 0, originUrl: null }) - 1;
    this.applications.set(applicationId, owner);
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
