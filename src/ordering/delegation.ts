import { createHmac, hash } from 'node:crypto';
import { baseOf } from '../domain/certificate/dns-validation.ts';
import { TTL_DEFAULT, type DnsRecord } from '../domain/record.ts';
import { isOneOf } from '../domain/zone/zone-record.ts';
import { openWith, type ProviderAccess } from '../provisioning/account.ts';
import type { Credential, Zone } from '../providers/contract.ts';

export interface DelegationSettings {
  /** The operator's zone for challenges of domains that delegate theirs. */
  zone: string;
  provider: string;
  credential: Credential;
  /** Makes the labels. Customers publish them, so it never changes. */
  key: string;
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Returns the bytes in base32 (RFC 4648 section 6), in lower case and without padding, as a DNS label. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/**
 * Returns the name at which a domain's challenges are published: a customer who cannot give us a credential points
 * `_acme-challenge.<domain>` there, once. It is the same for every connection of the domain, and outlives them.
 */
export const delegatedName = ({ zone, key }: Pick<DelegationSettings, 'zone' | 'key'>, hostname: string): string =>
  `${base32(createHmac('sha256', key).update(baseOf(hostname)).digest())}.${zone}`;

/** Returns a text that differs between keys and reveals none. */
export const fingerprintOf = ({ key }: Pick<DelegationSettings, 'key'>): string =>
  hash('sha256', `delegation ${key}`, 'hex').slice(0, 32);

/** The operator's delegation zone. */
export interface Delegation {
  nameFor(hostname: string): string;
  /** Adds a value to the name, next to those of other orders. */
  publish(name: string, value: string, signal: AbortSignal): Promise<void>;
  /** Removes this value, and no other. */
  remove(name: string, value: string, signal: AbortSignal): Promise<void>;
}

export function openDelegation(providerAccess: ProviderAccess, settings: DelegationSettings): Delegation {
  const { zone: zoneName, provider, credential } = settings;
  const account = openWith(providerAccess, { tenantId: '', provider, credential });
  let found: Promise<Zone> | undefined;
  const zone = (signal: AbortSignal): Promise<Zone> => {
    found ??= account.findZone(zoneName, { signal }).then((known) => {
      if (known === undefined) throw new Error(`The ${provider} account has no zone ${zoneName}.`);
      return known;
    });
    found.catch(() => (found = undefined));
    return found;
  };
  return {
    nameFor: (hostname) => delegatedName(settings, hostname),
    async publish(name, value, signal) {
      const wanted = challengeText(name, value);
      await account.apply(
        await zone(signal),
        { hosts: [name], decide: (current) => (isOneOf(wanted, current) ? undefined : { add: [wanted], remove: [] }) },
        { signal },
      );
    },
    async remove(name, value, signal) {
      const old = challengeText(name, value);
      await account.apply(
        await zone(signal),
        { hosts: [name], decide: (current) => (isOneOf(old, current) ? { add: [], remove: [old] } : undefined) },
        { signal },
      );
    },
  };
}

/** Returns the TXT record of a challenge. */
export const challengeText = (host: string, value: string): DnsRecord => ({
  host,
  type: 'TXT',
  value,
  ttl: TTL_DEFAULT,
  priority: null,
});
