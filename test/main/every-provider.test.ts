import { providerOf } from '../../src/providers/registry.ts';
import { serveDns } from '../providers/doubles/dns-server.ts';
import type { ProviderDouble } from '../providers/doubles/double.ts';
import { doubledSlugs, startDoubleOf } from '../providers/every-double.ts';
import { loopbackAddresses } from '../support/fixtures/dns-port.ts';
import { Service } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { EDGE_TARGET, startInternetLab, type InternetLab } from '../support/fixtures/internet-lab.ts';

interface Customer {
  slug: string;
  zone: string;
  double: ProviderDouble;
  address: string;
  nameservers: string[];
}

/** Records of a shop's zone; at the end every byte of them must exist again. */
const SHOP = [
  { name: '', type: 'MX', ttl: 3600, rdata: '10 mail.example.net.' },
  { name: '', type: 'TXT', ttl: 3600, rdata: '"v=spf1 include:example.net -all"' },
  { name: 'shop', type: 'A', ttl: 3600, rdata: '192.0.2.10' },
];

/** The whole service against every provider's double, which also serves its zones as name server. */
let internet: InternetLab;
let service: Service;
const customers: Customer[] = [];
const servers: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  const addresses = loopbackAddresses(doubledSlugs.length);
  for (const [i, slug] of doubledSlugs.entries()) {
    const double = await startDoubleOf(slug);
    const zone = `${slug.replaceAll('_', '-')}-customer.com`;
    double.addZone(zone, SHOP);
    const isNs = ({ type, name }: { type: string; name: string }) => type === 'NS' && name === zone;
    const nameservers = double.served(zone).filter(isNs).map(({ rdata }) => rdata.replace(/\.$/, '')); // prettier-ignore
    customers.push({ slug, zone, double, address: addresses[i]!, nameservers });
  }
  internet = await startInternetLab(
    customers.map(({ zone: name, nameservers, address }) => ({ name, nameservers, address })),
  );
  const port = Number(internet.env['DNS_AUTHORITATIVE_PORT']);
  for (const { double, zone, address } of customers) servers.push(await serveDns(double, () => [zone], { address, port, resolver: internet.recursor })); // prettier-ignore
  const urls = customers.flatMap(({ slug, double: { url, tokenUrl } }) => [
    [`PROVIDER_${slug.toUpperCase()}_URL`, url],
    ...(tokenUrl === undefined ? [] : [[`PROVIDER_${slug.toUpperCase()}_TOKEN_URL`, tokenUrl]]),
  ]);
  service = await Service.start(await tempFolder(), {
    ...internet.env,
    RATE_LIMIT_TENANT: '0',
    ...(Object.fromEntries(urls) as NodeJS.ProcessEnv),
  });
}, 120_000);

afterAll(async () => {
  await service.stop();
  await internet.stop();
  for (const server of servers) await server.stop();
  for (const { double } of customers) await double.stop();
});

test('GET /providers lists every provider that has a double, with the fields of its form', async () => {
  const { body } = await service.call('GET', '/providers');
  const listed = (body['data'] as { slug: string; auth: { fields: unknown[] } }[]).map(({ slug }) => slug);
  expect(listed).toEqual(expect.arrayContaining(doubledSlugs));
});

test('at every provider a connection goes from credential to live without a manual step, and DELETE restores the zone', async () => {
  const { test: application } = await service.demo();
  await service.call('PATCH', `/applications/${application.application_id}`, { conflict_policy: 'replace' });
  const waiting = [...customers];
  const failures: string[] = [];
  const connectInTurn = async () => {
    for (let customer = waiting.shift(); customer !== undefined; customer = waiting.shift())
      await connectAndDelete(customer, application.application_id).catch((error: unknown) =>
        failures.push(String(error)),
      );
  };
  // More in parallel would exhaust the database's connections on a busy machine, and the API would answer 503.
  await Promise.all(Array.from({ length: 6 }, connectInTurn));
  expect(failures).toEqual([]);
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
