import { displacedLayers } from '../../src/db/zone/displaced.ts';
import { coveringCredential } from '../../src/db/zone/credentials.ts';
import { ownedValues } from '../../src/db/zone/ledger.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import type { ZoneRecord } from '../../src/domain/zone/zone-record.ts';
import type { Account, Credential, Decision } from '../../src/providers/contract.ts';
import { ProviderError } from '../../src/providers/provider-error.ts';
import { openAccount, type ProviderAccess } from '../../src/provisioning/account.ts';
import { applyDesired } from '../../src/provisioning/apply.ts';
import { keepCredential } from '../../src/provisioning/credentials.ts';
import { removeWritten } from '../../src/provisioning/remove.ts';
import { once } from '../support/once.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import type { Subject, Write } from '../support/fixtures/zone-history.ts';

const { signal } = new AbortController();

/** A zone that a history is played in, with the credential that opens it and the owner's own way to it. */
export interface ZoneUnderTest {
  name: string;
  provider: string;
  credential: Credential;
  /** Whether the provider refuses a write when what it replaces is not what was read. */
  comparesAndSwaps: boolean;
  read(hosts: readonly string[]): Promise<readonly ZoneRecord[]>;
  set(hosts: readonly string[], records: readonly ZoneRecord[]): Promise<void>;
}

/** The real provisioning in a real zone; only the answers of the provider are lost or withheld where a history says so. */
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

  async function write({ purpose, wish, policy, answer }: Write, meanwhile: () => Promise<void>): Promise<void> {
    if (wish.length === 0) return;
    const covering = (await coveringCredential(pool, row.application_id, row.hostname))!;
    const account = openAccount(providerAccess, covering);
    const found = (await account.findZone(row.hostname))!;
    const target = { zone: found, row, desired: wish, policy, purpose, credential: covering, now: new Date(), signal };
    const disturbed = answering(account, answer, once(meanwhile), zone.comparesAndSwaps);
    await applyDesired(providerAccess, disturbed, target).catch((error: unknown) => {
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
      // A write whose answer was lost may land for two minutes; none does here.
      const now = new Date(Date.now() + 3 * 60_000);
      expect(await removeWritten(providerAccess, row.id, { purpose, now, signal })).toMatchObject({
        outcome: 'removed',
      });
      const left = (await ownedValues(pool, row.id)).filter((value) => value.purpose === purpose);
      expect(left).toEqual([]);
    },
  };
}

/**
 * The account behind a provider that loses its answer, never acts, or refuses. The owner acts between the adapter's
 * reading and its writing where the provider compares what it replaces, and just before the reading where it does not.
 */
const answering = (
  account: Account,
  answer: Write['answer'],
  meanwhile: () => Promise<void>,
  comparesAndSwaps: boolean,
): Account => ({
  ...account,
  async apply(zone, change, call) {
    if (!('decide' in change)) throw new Error('Provisioning decides upon what stands.');
    if (!comparesAndSwaps) await meanwhile();
    const decide: Decision['decide'] = async (current) => {
      const wanted = await change.decide(current);
      await meanwhile();
      return wanted;
    };
    const silence = new ProviderError('transient', 'It: no answer.', { mayHaveChanged: true });
    if (answer === 'silent' || answer === 'refused') {
      const wanted = await decide(await account.records(zone, change.hosts));
      if (wanted === undefined) return { changed: false, present: [], removed: [] };
      throw answer === 'silent' ? silence : new ProviderError('validation', 'It: refused.');
    }
    const applied = await account.apply(zone, { ...change, decide }, call);
    if (answer === 'lost') throw silence;
    return applied;
  },
});
