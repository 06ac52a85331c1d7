import type { Zone } from '../contract.ts';
import { isInZone } from '../../domain/record.ts';

/** Finds the zone of a host among its parent names, longest first; the public suffix list does not know sub-zones. */
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

export function longestZone<Z extends { name: string }>(host: string, zones: readonly Z[]): Z | undefined {
  return zones
    .filter((zone) => isInZone(host, zone.name))
    .reduce<Z | undefined>((best, zone) => (best && best.name.length >= zone.name.length ? best : zone), undefined);
}
