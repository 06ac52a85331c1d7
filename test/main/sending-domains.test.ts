import { providerOf } from '../../src/providers/registry.ts';
import type { ProviderDouble } from '../providers/doubles/double.ts';
import { doubledSlugs } from '../providers/every-double.ts';
import { startProviderLab, type Customer, type ProviderLab } from '../support/fixtures/provider-lab.ts';
import { Service } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** The customer's own records; every byte of them must exist at the end. */
const OTHERS = [
  { name: '', type: 'MX', ttl: 3600, rdata: '10 mail.example.net.' },
  { name: '', type: 'TXT', ttl: 3600, rdata: '"v=spf1 include:example.net -all"' },
];

/** Doubles of their own, because some providers' limits would not allow further changes after those of other tests. */
let lab: ProviderLab;
let service: Service;
beforeAll(async () => {
  lab = await startProviderLab(doubledSlugs, OTHERS);
  service = await Service.start(await tempFolder(), { ...lab.env, RATE_LIMIT_TENANT: '0' });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await lab.stop();
});

/** A sending domain with a record of each type, and a sender policy that its owner merges. */
const SENDING = [
  ...[1, 2, 3].map((number) => ({
    host: `{var.selector}${number}._domainkey`,
    type: 'CNAME',
    value: `{var.selector}${number}.dkim.example.net`,
  })),
  { host: '@', type: 'TXT', value: 'v=spf1 include:spf.example.net ~all' },
  { host: '_dmarc', type: 'TXT', value: 'v=DMARC1; p=none' },
  { host: 'bounce', type: 'MX', value: 'feedback.example.net', priority: 10 },
  { host: 'track', type: 'A', value: '192.0.2.80' },
  { host: 'track', type: 'AAAA', value: '2001:db8::80' },
  { host: '_imaps._tcp', type: 'SRV', value: '0 993 imap.example.net', priority: 5 },
  { host: 'track', type: 'CAA', value: '0 issue "ca.example.net"' },
];

test('at every provider the records of a sending domain are added, its keys are rolled, and DELETE restores the zone', async () => {
  await lab.inTurns(sendAndDelete);
}, 400_000);

/** Adds the records of a sending domain, changes its selector, and deletes the connection. */
async function sendAndDelete({ slug, zone, double }: Customer): Promise<void> {
  const before = double.dump(zone);
  const others = names(double, zone);
  const { record_types } = providerOf(slug)!.descriptor.capabilities;
  const record_template = SENDING.filter(({ type }) => (record_types as readonly string[]).includes(type));
  const added = () => names(double, zone).filter((name) => !others.includes(name));
  const wanted = (selector: string) =>
    record_template
      .filter(({ value }) => !value.startsWith('v=spf1'))
      .map(({ host, type }) => `${host.replace('{var.selector}', selector)}.${zone} ${type}`)
      .concat(`_service-challenge.${zone} TXT`)
      .toSorted();
  const { body: application } = await service.call('POST', '/applications', { name: slug, record_template });
  const credential = { provider: slug, credentials: double.credential };
  await service.call('POST', `/applications/${String(application['id'])}/credentials`, credential);
  const create = { application_id: application['id'], hostname: zone, serve: false, variables: { selector: 'one' } };
  const connection = await service.call('POST', '/connections', create);
  expect([slug, connection]).toMatchObject([slug, { status: 201 }]);
  const id = String(connection.body['id']);
  const get = async () => (await service.call('GET', `/connections/${id}`)).body;

  const live = await (await service.user()).untilLive(id, 120_000).catch(get);
  expect([slug, live]).toMatchObject([slug, { state: 'live', setup_type: 'automatic', error_code: null }]);
  expect([slug, added()]).toEqual([slug, wanted('one')]);

  const changed = await service.call('PATCH', `/connections/${id}`, { variables: { selector: 'two' } });
  expect([slug, changed]).toMatchObject([slug, { status: 200, body: { state: 'live' } }]);
  const isRolled = () => Promise.resolve(added().join() === wanted('two').join());
  await until(isRolled, 120_000).catch(() => expect([slug, added()]).toEqual([slug, wanted('two')]));

  expect([slug, await service.call('DELETE', `/connections/${id}`)]).toMatchObject([slug, { status: 200 }]);
  const isCleaned = async () => (await get())['cleanup'] === 'done';
  await until(isCleaned, 180_000).catch(async () => expect([slug, await get()]).toEqual([slug, { cleanup: 'done' }]));
  expect([slug, double.dump(zone)]).toEqual([slug, before]);
}

/** Returns name and type of each record that the provider serves. */
const names = (double: ProviderDouble, zone: string): string[] =>
  double
    .served(zone)
    .map(({ name, type }) => `${name} ${type}`)
    .toSorted();
