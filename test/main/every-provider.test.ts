import { providerOf } from '../../src/providers/registry.ts';
import { doubledSlugs } from '../providers/every-double.ts';
import { startProviderLab, type Customer, type ProviderLab } from '../support/fixtures/provider-lab.ts';
import { Service } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { EDGE_TARGET } from '../support/fixtures/internet-lab.ts';

/** Records of a shop's zone; at the end every byte of them must exist again. */
const SHOP = [
  { name: '', type: 'MX', ttl: 3600, rdata: '10 mail.example.net.' },
  { name: '', type: 'TXT', ttl: 3600, rdata: '"v=spf1 include:example.net -all"' },
  { name: 'shop', type: 'A', ttl: 3600, rdata: '192.0.2.10' },
];

/** The whole service against every provider's double, which also serves its zones as name server. */
let lab: ProviderLab;
let service: Service;

beforeAll(async () => {
  lab = await startProviderLab(doubledSlugs, SHOP);
  service = await Service.start(await tempFolder(), { ...lab.env, RATE_LIMIT_TENANT: '0' });
}, 120_000);

afterAll(async () => {
  await service.stop();
  await lab.stop();
});

test('GET /providers lists every provider that has a double, with the fields of its form', async () => {
  const { body } = await service.call('GET', '/providers');
  const listed = (body['data'] as { slug: string; auth: { fields: unknown[] } }[]).map(({ slug }) => slug);
  expect(listed).toEqual(expect.arrayContaining(doubledSlugs));
});

test('at every provider a connection goes from credential to live without a manual step, and DELETE restores the zone', async () => {
  const { test: application } = await service.demo();
  await service.call('PATCH', `/applications/${application.application_id}`, { conflict_policy: 'replace' });
  await lab.inTurns((customer) => connectAndDelete(customer, application.application_id));
}, 300_000);

/** Connects a subdomain, and the apex too if the provider supports aliases there; then deletes both. */
async function connectAndDelete({ slug, zone, double }: Customer, application: string): Promise<void> {
  const before = double.dump(zone);
  const hasAlias = providerOf(slug)!.descriptor.capabilities.apex_alias !== 'none';
  const hostnames = [`shop.${zone}`, ...(hasAlias ? [zone] : [])];
  const credential = await service.call('POST', `/applications/${application}/credentials`, {
    provider: slug,
    credentials: double.credential,
  });
  expect([slug, credential]).toMatchObject([slug, { status: 201, body: { status: 'ok', zones: [zone] } }]);
  const check = await service.call('POST', '/domains:check', { domain: hostnames[0] });
  expect([slug, check.body]).toMatchObject([slug, { provider_slug: slug, setup_type: 'automatic' }]);

  const ids: string[] = [];
  for (const hostname of hostnames) ids.push(await service.connect(hostname));
  const get = async (id: string) => (await service.call('GET', `/connections/${id}`)).body;
  for (const id of ids) {
    const live = await (await service.user()).untilLive(id, 120_000).catch(() => get(id));
    const expected = { state: 'live', setup_type: 'automatic', provider: slug, error_code: null };
    expect([slug, live]).toMatchObject([slug, expected]);
  }
  const pointers = double
    .served(zone)
    .filter(({ name }) => name === hostnames[0])
    .map(({ type, rdata }) => `${type} ${rdata.replace(/\.$/, '')}`);
  expect([slug, pointers]).toEqual([slug, [`CNAME ${EDGE_TARGET}`]]);

  for (const id of ids) {
    expect([slug, await service.call('DELETE', `/connections/${id}`)]).toMatchObject([slug, { status: 200 }]);
    await until(async () => (await get(id))['cleanup'] === 'done', 60_000);
  }
  expect([slug, double.dump(zone)]).toEqual([slug, before]);
}
