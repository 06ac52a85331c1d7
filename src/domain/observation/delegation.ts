import type { ZoneObservation } from './observation.ts';

export const UNOBSERVED_ZONE: ZoneObservation = {
  name: null,
  registered: null,
  nameservers: [],
  unresolved: [],
  soa: null,
  dnssec: 'unknown',
  cause: null,
};

/** A zone as its provider describes it. The list of name servers is empty if the provider does not publish it. */
export interface ProviderZone {
  name: string;
  nameservers: readonly string[];
}

const isBelow = (name: string, zone: string): boolean => name.endsWith(`.${zone}`);

/**
 * Returns why no resolver would find records in the provider's zone; undefined if they would, or if DNS did not answer.
 * Name servers inside the zone itself are accepted: providers offer them under the customer's own brand.
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
