import type { DomainConnectIdentity } from '../api/domain-connect.ts';
import { ConfigError, type Config } from '../config.ts';
import { allowedHosts } from '../domain-connect/allowed-hosts.ts';
import { createDiscovery, type Discover } from '../domain-connect/discovery.ts';
import { createHttpsJson } from '../net/https-json.ts';
import type { DialPolicy } from '../net/safe-dial.ts';
import { readSigningKeys, type SigningKeys } from '../domain-connect/keys.ts';

export interface DomainConnect {
  identity: DomainConnectIdentity;
  pubKeyDomain: string;
  discover: Discover;
  close(): Promise<void>;
}

/** Returns Domain Connect as configured; null if it is off. */
export function openDomainConnect(config: Config, dial: DialPolicy): DomainConnect | null {
  const { DOMAIN_CONNECT_PROVIDER_ID: providerId, DOMAIN_CONNECT_PUBKEY_DOMAIN: pubKeyDomain } = config;
  if (providerId === undefined || pubKeyDomain === undefined || config.DOMAIN_CONNECT_KEYS === undefined) return null;
  const signingKeys = signingKeysIn(config.DOMAIN_CONNECT_KEYS);
  const http = createHttpsJson(dial);
  const isAllowed = allowedHosts(config.DOMAIN_CONNECT_HOSTS);
  return {
    identity: { providerId, signingKeys },
    pubKeyDomain,
    discover: createDiscovery({ providerId, isAllowed, http }),
    close: () => http.close(),
  };
}

export function signingKeysIn(text: string): SigningKeys {
  try {
    return readSigningKeys(text);
  } catch (error) {
    throw new ConfigError(`DOMAIN_CONNECT_KEYS: ${error instanceof Error ? error.message : 'cannot be read'}.`);
  }
}
