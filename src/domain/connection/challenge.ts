import { baseOf } from '../certificate/dns-validation.ts';
import { TTL_DEFAULT, type DnsRecord } from '../record.ts';

/** The first label of the ownership challenge. Domain Connect templates and hostname validation use it too. */
export const CHALLENGE_LABEL = '_service-challenge';

/** A TXT record that proves ownership of a hostname. */
export interface Challenge {
  name: string;
  value: string;
}

/** Returns the name of the challenge. A wildcard is proved at its domain: below it, the wildcard itself would answer. */
export const challengeName = (hostname: string): string => `${CHALLENGE_LABEL}.${baseOf(hostname)}`;

/** Returns the name that the challenge brings into existence: the hostname, or the domain of a wildcard hostname. */
export const nameAbove = ({ name }: Challenge): string => name.slice(CHALLENGE_LABEL.length + 1);

/** Returns the challenge as the record that the customer adds, or that the service writes through a credential. */
export const challengeRecord = ({ name, value }: Challenge): DnsRecord => ({
  host: name,
  type: 'TXT',
  value,
  ttl: TTL_DEFAULT,
  priority: null,
});
