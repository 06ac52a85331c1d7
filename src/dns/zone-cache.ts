import { BoundedMap } from '../net/bounded-map.ts';
import type { AuthoritativeZone } from './authoritative-zone.ts';

/** Remembers the zone of a name briefly, so that frequent checks are cheap and a move of name servers is noticed. */
export function createZoneCache(now: () => number = () => performance.now()) {
  const entries = new BoundedMap<string, { zone: AuthoritativeZone; until: number }>(MAX_ENTRIES);
  return {
    get(name: string): AuthoritativeZone | undefined {
      const entry = entries.get(name);
      if (entry && entry.until > now()) return entry.zone;
      entries.delete(name);
      return undefined;
    },
    set(name: string, zone: AuthoritativeZone): void {
      entries.set(name, { zone, until: now() + REMEMBERED_MS });
    },
  };
}

const REMEMBERED_MS = 30_000;
const MAX_ENTRIES = 10_000;
