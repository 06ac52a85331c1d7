import { coveringCredential } from '../../src/db/zone/credentials.ts';
import { displacedLayers, ledgerOf, ownedValues } from '../../src/db/zone/ledger.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import type { ZoneRecord } from '../../src/domain/zone/zone-record.ts';
import type { Credential } from '../../src/providers/contract.ts';
import { ProviderError } from '../../src/providers/provider-error.ts';
import { openAccount, type ProviderAccess } from '../../src/provisioning/account.ts';
import { applyDesired } from '../../src/provisioning/apply.ts';
import { keepCredential } from '../../src/provisioning/credentials.ts';
import { removeWritten } from '../../src/provisioning/remove.ts';
import { once } from '../support/once.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { afterArrivals, answering } from '../support/fixtures/history-subject.ts';
import type { Subject, Write } from '../support/fixtures/zone-history.ts';

const { signal } = new AbortController();

/** A zone in which a history is played, with the credential that opens it and the owner's own access. */
export interface ZoneUnderTest {
  name: string;
  provider: string;
  credential: Credential;
  /** Whether the provider refuses a write if the records to replace differ from the records that were read. */
  comparesAndSwaps: boolean;
  read(hosts: readonly string[]): Promise<readonly ZoneRecord[]>;
  set(hosts: readonly string[], records: readonly ZoneRecord[]): Promise<void>;
}

/**
 * The real provisioning in a real zone. Only the provider's answers are lost or held back where the history requires
 * it.
 */
export async function provisioningSubject(
  providerAccess: ProviderAccess,
  tenant: NewTenant,
  zone: ZoneUnderTest,
): Promise<Subject> {
  const { pool } = providerAccess;
  const { provider, credential } = zone;
  const given = { tenantId: tenant.tenant_id, applicationId: tenant.test.application_id, provider, credential };
  const health = { status: 'ok', reason: null, zones: [zone.name] } as const;
  await keepCredential(providerAccess, pool, { ...given, label: null }, { ...health, zones: [...health.zones] });
  const row = await newConnection(pool, tenant, `shop.${zone.name}`);
  const hosts = [`shop.${zone.name}`, `www.${zone.name}`];

  async function write({ purpose, wanted, policy, answer }: Write, meanwhile: () => Promise<void>): Promise<void> {
    if (wanted.length === 0) return;
    const covering = (await coveringCredential(pool, row.application_id, row.hostname))!;
    const account = openAccount(providerAccess, covering);
    const found = (await account.findZone(row.hostname))!;
    const target = {
      zone: found,
      row,
      desired: wanted,
      policy,
      purpose,
      credential: covering,
      now: new Date(),
      signal,
    };
    const disturbed = answering(account, answer, once(meanwhile), zone.comparesAndSwaps);
    await applyDesired(ledgerOf(pool, row), disturbed, target).catch((error: unknown) => {
      if (!(error instanceof ProviderError)) throw error;
    });
  }

  return {
    zone: () => zone.read(hosts),
    setZone: (records) => zone.set(hosts, records),
    write,
    owned: () => ownedValues(pool, row.id),
    displaced: async () => (await displacedLayers(pool, row.id)).flatMap(({ records }) => records),
    async undo(purpose) {
      expect(await removeWritten(providerAccess, row.id, { purpose, now: afterArrivals(), signal })).toMatchObject({
        outcome: 'removed',
      });
      const left = (await ownedValues(pool, row.id)).filter((value) => value.purpose === purpose);
      expect(left).toEqual([]);
    },
  };
}
