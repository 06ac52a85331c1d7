import { readFileSync } from 'node:fs';
import { ConfigError, type Config } from '../config.ts';
import { delegationKey } from '../db/certificate/acme-accounts.ts';
import type { Pool } from '../db/pool.ts';
import { registrableDomain } from '../dns/suffix.ts';
import type { Observer } from '../domain/observation/observer.ts';
import { acmeAccounts } from '../ordering/accounts.ts';
import { delegatedName, fingerprintOf, openDelegation, type DelegationSettings } from '../ordering/delegation.ts';
import type { Ordering } from '../ordering/steps.ts';
import type { ProviderAccess } from '../provisioning/account.ts';
import type { Vault } from '../vault/vault.ts';

interface Parts {
  pool: Pool;
  vault: Vault;
  providerAccess: ProviderAccess;
  observer: Observer;
}

/** Opens the worker's own ordering of certificates. Nothing is sent before the first order. */
export function openOrdering(config: Config, { pool, vault, providerAccess, observer }: Parts): Ordering {
  const { ACME_EAB_KID: keyId, ACME_EAB_HMAC_KEY: macKey, ACME_CA_FILE: caFile } = config;
  const settings = delegationOf(config);
  return {
    pool,
    vault,
    providerAccess,
    observer,
    caa: { identities: config.CAA_IDENTITIES, edgeAccounts: config.CAA_EDGE_ACCOUNTS },
    directory: config.ownOrdersAt,
    accounts: acmeAccounts({
      pool,
      vault,
      email: config.ACME_EMAIL,
      ca: caFile === undefined ? undefined : readFileSync(caFile, 'utf8'),
      ...(keyId !== undefined && macKey !== undefined && { externalAccount: { keyId, macKey } }),
    }),
    delegation: settings && openDelegation(providerAccess, settings),
    profile: config.ACME_PROFILE,
    registrableDomain,
  };
}

/** Returns the settings of delegated validation; null if it is not configured. They are complete, or all absent. */
function delegationOf({
  ACME_DELEGATION_ZONE: zone,
  ACME_DELEGATION_PROVIDER: provider,
  ACME_DELEGATION_CREDENTIALS: credential,
  ACME_DELEGATION_KEY: key,
}: Config): DelegationSettings | null {
  if (zone === undefined || provider === undefined || credential === undefined || key === undefined) return null;
  return { zone, provider, credential, key };
}

/** Returns the names of delegated validation, which the API shows to customers; null if it is not configured. */
export function delegationNames(config: Config): { nameFor(hostname: string): string; fingerprint: string } | null {
  const settings = delegationOf(config);
  return settings && { nameFor: (hostname) => delegatedName(settings, hostname), fingerprint: fingerprintOf(settings) };
}

/** Refuses to start with another key once customers have published names that the old one made. */
export async function refuseOtherDelegationKey(pool: Pool, config: Config): Promise<void> {
  const [settings, kept] = [delegationOf(config), await delegationKey(pool)];
  if (settings === null || kept === null || kept === fingerprintOf(settings)) return;
  throw new ConfigError(
    'ACME_DELEGATION_KEY has changed, but customers have published names that were made with the old key. Set the old key again.',
  );
}
