import { BoundedMap } from '../net/bounded-map.ts';
import type { AuthoritativeZone } from './authoritative-zone.ts';

/** Caches the zone of a name briefly, so that frequent checks are cheap and a change of name servers is seen soon. */
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
      entries.set(name, { zone, until: now() + CACHED_MS });
    },
  };
}

const CACHED_MS = 30_000;
const MAX_ENTRIES = 10_000;
