import type { ZoneObservation } from './observation.ts';

/** What is known of a zone that no server was asked about. */
export const UNOBSERVED_ZONE: ZoneObservation = {
  name: null,
  registered: null,
  nameservers: [],
  unresolved: [],
  soa: null,
  dnssec: 'unknown',
  cause: null,
};

/** A zone as its provider describes it. Without name servers the provider does not say which ones it assigned. */
export interface ProviderZone {
  name: string;
  nameservers: readonly string[];
}

const isBelow = (name: string, zone: string): boolean => name.endsWith(`.${zone}`);

/**
 * Why records for the hostname that are written in the provider's zone would be seen by no resolver: the live DNS gives
 * the name to a zone further down, or gives the zone to other servers than the provider assigned. Nothing when they would be seen, and
 * nothing when the live DNS could not be asked: not knowing never refuses. Servers whose names lie in the zone itself
 * say nothing about who runs them: providers serve such names for their customers under the customer's own brand.
 */
export function delegatedElsewhere(
  hostname: string,
  { name, nameservers }: ProviderZone,
  live: ZoneObservation,
): string | undefined {
  if (live.name === null || live.cause !== null) return undefined;
  if (isBelow(live.name, name))
    return `${hostname} lies in the zone ${live.name}${servedBy(live)}, so records in ${name} would not be seen.`;
  const assigned = nameservers.map(plain);
  const serving = live.nameservers.map(plain);
  const isServedElsewhere =
    live.name === name &&
    assigned.length > 0 &&
    serving.length > 0 &&
    !serving.some((server) => assigned.includes(server) || isBelow(server, name));
  if (!isServedElsewhere) return undefined;
  return `${name} is served by ${serving.join(', ')} and not by ${assigned.join(', ')}, so records there would not be seen.`;
}

const servedBy = ({ nameservers }: ZoneObservation): string =>
  nameservers.length === 0 ? '' : `, which is delegated to ${nameservers.map(plain).join(', ')}`;

const plain = (nameserver: string): string => nameserver.toLowerCase().replace(/\.$/, '');
