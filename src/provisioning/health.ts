import { credentialsToCheck, recordHealth, type CredentialHealth } from '../db/zone/credentials.ts';
import type { Account } from '../providers/contract.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { openAccount, type ProviderAccess } from './account.ts';
import { asProviderError } from './deadline.ts';

/** Checks a credential with its provider. If the provider does not answer in time, the status is `unverified`. */
export async function healthOf(
  account: Pick<Account, 'verify' | 'expiry'>,
  provider: string,
  signal?: AbortSignal,
): Promise<CredentialHealth> {
  try {
    const call = signal ? { signal } : {};
    const zones = await account.verify(call);
    // A provider that does not return an expiry has still accepted the credential.
    const expiresAt = await account.expiry?.(call).catch(() => undefined);
    // Zones with the provider's own ids.
    const handles = zones.map(({ id, name, nameservers }) => ({ id, name, nameservers: [...nameservers] }));
    return {
      status: 'ok',
      reason: null,
      zones: zones.map(({ name }) => name),
      handles,
      ...(expiresAt && { expiresAt }),
    };
  } catch (thrown) {
    const error = asProviderError(thrown, provider);
    if (!(error instanceof ProviderError)) throw error;
    return { status: error.retryable ? 'unverified' : 'invalid', reason: error.message, zones: null };
  }
}

/**
 * Checks the credentials that are unverified or were not checked for a day. A revoked credential is thus found before a
 * write needs it.
 */
export async function checkCredentials(providerAccess: ProviderAccess): Promise<void> {
  const failures: unknown[] = [];
  for (const row of await credentialsToCheck(providerAccess.pool)) {
    try {
      await recordHealth(providerAccess.pool, row.id, await healthOf(openAccount(providerAccess, row), row.provider));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Credentials could not be checked with their providers.');
}
