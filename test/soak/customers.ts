import { z } from 'zod';
import { none, sql } from '../../src/db/pool.ts';
import { allCredentials } from '../../src/db/zone/credentials.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { challengeName } from '../../src/domain/connection/challenge.ts';
import { providerHttp } from '../../src/providers/toolkit/http.ts';
import type { AllowanceStore } from '../../src/providers/toolkit/rate-limiter.ts';
import { keepCredential, preflight, replaceSecret } from '../../src/provisioning/credentials.ts';
import type { ProviderDouble } from '../providers/doubles/double.ts';
import { startDoubleOf } from '../providers/every-double.ts';
import type { WebhookLab } from '../support/fixtures/webhook-lab.ts';
import type { Receiver } from '../support/doubles/receiver.ts';
import type { Fates } from './fates.ts';

const PROVIDER = 'vultr';
/** The limits of providers count real seconds, of which a simulated year has few. */
const EVERY_REQUEST: AllowanceStore = {
  take: () => Promise.resolve({ outcome: 'granted', waitMs: 0 }),
  giveBack: () => Promise.resolve(),
};
/** A port on which nothing listens. */
const NOWHERE = 'http://127.0.0.1:9';
const Listed = z.object({ records: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() })) });

/** The tenants, their zones at a provider's double, their credentials and the receivers of their webhooks. */
export class Customers {
  readonly tenants: NewTenant[] = [];
  readonly receivers: Receiver[] = [];
  private readonly webhooks: WebhookLab;
  private readonly double: ProviderDouble;
  private readonly baseUrls: Map<string, string>;

  private constructor(webhooks: WebhookLab, double: ProviderDouble) {
    this.webhooks = webhooks;
    this.double = double;
    this.baseUrls = webhooks.lab.providerAccess.baseUrls as Map<string, string>;
  }

  /** Creates every tenant of the fates, whose applications let the service repair their records. */
  static async create(webhooks: WebhookLab, { tenants }: Fates): Promise<Customers> {
    Object.assign(webhooks.lab.providerAccess, { http: providerHttp({ allowances: EVERY_REQUEST }) });
    const customers = new Customers(webhooks, await startDoubleOf(PROVIDER));
    customers.isAway = false;
    for (const { zone, isSubscribed } of tenants) {
      customers.double.addZone(zone);
      const tenant = await createTenant(webhooks.lab.pool, zone);
      customers.tenants.push(tenant);
      if (isSubscribed) customers.receivers.push((await webhooks.endpoint({ tenant })).receiver);
      await customers.giveCredential(tenant);
    }
    await webhooks.lab.pool.query(sql.type(none)`UPDATE applications SET drift_policy = 'repair'`);
    return customers;
  }

  /** Whether the provider refuses connections. */
  set isAway(isAway: boolean) {
    this.baseUrls.set(PROVIDER, isAway ? NOWHERE : this.double.url);
  }

  /** Whether the zone serves the challenge or the CNAME of a hostname. */
  serves(zone: string, hostname: string, what: 'challenge' | 'records'): boolean {
    const wanted = what === 'challenge' ? challengeName(hostname) : hostname;
    return this.double.served(zone).some(({ name, type }) => name === wanted && (type === 'TXT' || type === 'CNAME'));
  }

  /** Returns the records of a zone that the service wrote. */
  written(zone: string): number {
    return this.double.served(zone).filter(({ type }) => type === 'TXT' || type === 'CNAME').length;
  }

  /** Removes the CNAME of a hostname in the provider's panel, as its owner could. */
  async removeRecord(zone: string, hostname: string): Promise<void> {
    const url = `${this.double.url}/domains/${zone}/records`;
    const headers = { authorization: `Bearer ${this.double.credential['api_key']}` };
    const { records } = Listed.parse(await (await fetch(`${url}?per_page=500`, { headers })).json());
    const relative = hostname.slice(0, -zone.length - 1);
    for (const { id, name, type } of records)
      if (type === 'CNAME' && name === relative) await fetch(`${url}/${id}`, { method: 'DELETE', headers });
  }

  /** Replaces the secret of every credential, as a tenant does each year. */
  async rotateCredentials(): Promise<void> {
    const { providerAccess, pool } = this.webhooks.lab;
    for (const before of await allCredentials(pool)) {
      const given = this.given(before.tenant_id, before.application_id);
      const health = await preflight(providerAccess, given);
      await pool.transaction((tx) => replaceSecret(providerAccess, tx, before, given, health));
    }
  }

  private async giveCredential({ tenant_id, test }: NewTenant): Promise<void> {
    const { providerAccess, pool } = this.webhooks.lab;
    const given = this.given(tenant_id, test.application_id);
    const health = await preflight(providerAccess, given);
    await pool.transaction((tx) => keepCredential(providerAccess, tx, given, health));
  }

  private readonly given = (tenantId: string, applicationId: string) => ({
    tenantId,
    applicationId,
    provider: PROVIDER,
    credential: this.double.credential,
    label: null,
  });

  stop(): Promise<void> {
    return this.double.stop();
  }
}
