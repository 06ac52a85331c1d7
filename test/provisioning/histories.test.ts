import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { createPool, none, sql, type Pool } from '../../src/db/pool.ts';
import { allRecordsAt, publish } from '../../src/db/zone/sandbox-records.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import type { Account, Credential } from '../../src/providers/contract.ts';
import { providerOf } from '../../src/providers/registry.ts';
import { additionOf } from '../../src/domain/zone/zone-record.ts';
import type { ProviderAccess } from '../../src/provisioning/account.ts';
import { signV4 } from '../../src/providers/route53/sigv4.ts';
import { aloneWith, uncountedHttp } from '../providers/processes.ts';
import { startBind } from '../support/servers/bind.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { startMoto } from '../support/servers/moto.ts';
import { startPowerDnsApi } from '../support/servers/powerdns-api.ts';
import { testProviderAccess } from '../support/fixtures/provider-access.ts';
import { provisioningSubject, type ZoneUnderTest } from './provisioning-subject.ts';
import { tries } from '../support/tries.ts';
import { histories, play } from '../support/fixtures/zone-history.ts';

let database: TestDatabase;
let pool: Pool;
let providerAccess: ProviderAccess;
let tenant: NewTenant;
const http = uncountedHttp();

beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 4, name: 'histories' });
  providerAccess = { ...testProviderAccess(pool), http };
  tenant = await createTenant(pool, 'Histories');
});
afterAll(async () => {
  await http.close();
  await pool.end();
  await database.drop();
});

/** Plays random histories, each in its own zone, and checks that each ends with the zone as its owner left it. */
const playAll = (numRuns: number, zoneOf: () => Promise<ZoneUnderTest>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const zone = await zoneOf();
      const [history] = fc.sample(histories([`shop.${zone.name}`, `www.${zone.name}`]), { seed, numRuns: 1 });
      await play(history!, await provisioningSubject(providerAccess, tenant, zone));
    }),
    { numRuns, endOnFailure: true },
  );

/** Returns the zone and the owner's own access: another account at the same provider, independent of ours. */
function zoneAt(name: string, provider: string, credential: Credential, baseUrl?: string): ZoneUnderTest {
  const context = { ...aloneWith(http), allowPrivate: true, ...(baseUrl === undefined ? {} : { baseUrl }) };
  const account: Account = providerOf(provider)!.open(credential, context);
  const handle = async () => (await account.findZone(name))!;
  return {
    name,
    provider,
    credential,
    // Amazon compares the values before it deletes a record set; moto deletes it regardless.
    comparesAndSwaps: provider === 'rfc2136',
    read: async (hosts) => account.records(await handle(), hosts),
    set: async (hosts, records) => {
      const zone = await handle();
      const add = records.flatMap((record) => additionOf(record) ?? []);
      await account.apply(zone, { hosts, decide: (current) => ({ add, remove: current }) });
    },
  };
}

const RUNS = tries(100, 25);

test('in the sandbox, undo leaves the owner’s zone and an empty ledger after any writes and any edits by the owner', () =>
  playAll(60, () => {
    const name = `${randomUUID()}.test`;
    const own = { tenantId: tenant.tenant_id, plain: { id: null, readOnly: false, extra: null } };
    return Promise.resolve({
      name,
      provider: 'sandbox',
      credential: { zone: name },
      comparesAndSwaps: true,
      read: async (hosts) =>
        (await allRecordsAt(pool, own.tenantId, hosts)).map((record) => ({ ...record, ...own.plain })),
      async set(hosts, records) {
        await pool.query(sql.type(none)`
          DELETE FROM sandbox_records WHERE tenant_id = ${own.tenantId} AND host = ANY(${sql.array([...hosts], 'text')})
        `);
        for (const { host, type, value, ttl, priority } of records)
          if (type !== 'OTHER') await publish(pool, own.tenantId, { host, type, value, ttl, priority }, new Date());
      },
    });
  }));

test('on a real BIND, every history ends with the zone as its owner left it', async () => {
  const names = Array.from({ length: RUNS }, (_, i) => `bind${i}.example.test`);
  const bind = await startBind(names);
  try {
    await playAll(RUNS, () => {
      const zone = names.pop()!;
      const key = { key_name: bind.key.name, secret: bind.key.secret };
      const credential = { server: '127.0.0.1', port: String(bind.port), zone, ...key };
      return Promise.resolve(zoneAt(zone, 'rfc2136', credential));
    });
  } finally {
    await bind.stop();
  }
}, 240_000);

test('on a real PowerDNS, every history ends with the zone as its owner left it', async () => {
  const server = await startPowerDnsApi();
  let count = 0;
  try {
    await playAll(RUNS, async () => {
      const zone = `powerdns${count++}.example.test`;
      await server.createZone(zone);
      return zoneAt(zone, 'powerdns', { api_url: server.apiUrl, api_key: server.apiKey });
    });
  } finally {
    await server.stop();
  }
}, 240_000);

test('on a third-party Route 53 server, every history ends with the zone as its owner left it', async () => {
  const moto = await startMoto();
  const key = { accessKeyId: 'AKIDFOREIGN', secretAccessKey: 'foreign/secret' };
  const credential = { access_key_id: key.accessKeyId, secret_access_key: key.secretAccessKey };
  const createZone = async (name: string): Promise<void> => {
    const url = new URL(`${moto.url}/2013-04-01/hostedzone`);
    const body = `<CreateHostedZoneRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Name>${name}.</Name><CallerReference>${name}</CallerReference></CreateHostedZoneRequest>`;
    const scope = { region: 'us-east-1', service: 'route53', now: new Date() };
    const answer = await fetch(url, {
      method: 'POST',
      headers: signV4({ method: 'POST', url, body }, key, scope),
      body,
    });
    expect(answer.status).toBe(201);
  };
  let count = 0;
  try {
    providerAccess = { ...providerAccess, baseUrls: new Map([['route53', moto.url]]) };
    await playAll(RUNS, async () => {
      const name = `moto${count++}.example.test`;
      await createZone(name);
      return zoneAt(name, 'route53', credential, moto.url);
    });
  } finally {
    await moto.stop();
  }
}, 240_000);
