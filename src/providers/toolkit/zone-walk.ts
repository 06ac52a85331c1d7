import type { Zone } from '../contract.ts';
import { isInZone } from '../../domain/record.ts';

/**
 * Finds a host's zone by asking for each name that could be it, longest first: a delegated sub-zone answers for its
 * names, not its parent, and the public suffix list knows no sub-zones. A top-level domain is nobody's zone.
 */
export async function walkZones(
  host: string,
  find: (name: string) => Promise<Zone | undefined>,
): Promise<Zone | undefined> {
  const labels = host.split('.');
  for (let i = 0; i < labels.length - 1; i++) {
    const zone = await find(labels.slice(i).join('.'));
    if (zone) return zone;
  }
  return undefined;
}

/** The same among zones that are known: the longest of those that hold the host. */
export function longestZone<Z extends { name: string }>(host: string, zones: readonly Z[]): Z | undefined {
  return zones
    .filter((zone) => isInZone(host, zone.name))
    .reduce<Z | undefined>((best, zone) => (best && best.name.length >= zone.name.length ? best : zone), undefined);
}
