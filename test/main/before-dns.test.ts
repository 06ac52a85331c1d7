import { delegationSettings, startAcmeWorld, type AcmeWorld } from '../support/fixtures/acme-world.ts';
import { startEchoOrigin, type EchoOrigin } from '../support/doubles/echo-origin.ts';
import { visitOver } from '../support/fixtures/edge-lab.ts';
import type { Pebble } from '../support/servers/pebble.ts';
import { Service } from '../support/fixtures/service.ts';
import { startWidgetPages, untilTitle } from '../support/fixtures/widget-lab.ts';
import { button, connect } from '../support/fixtures/widget-steps.ts';
import { launchChromium } from '../support/servers/chromium.ts';
import { violations } from '../browser/axe.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { EDGE_TARGET, type InternetLab } from '../support/fixtures/internet-lab.ts';

jest.setTimeout(180_000);

/** The site's old address. */
const OLD = '192.0.2.1';

/** Certificates before the DNS moves, with a real CA, a real DNS, the real edge and its agent. */
let world: AcmeWorld;
let internet: InternetLab;
let pebble: Pebble;
let origin: EchoOrigin;
let service: Service;
let edge: AcmeWorld['edge'];
let applicationId: string;
beforeAll(async () => {
  [world, origin] = await Promise.all([startAcmeWorld(), startEchoOrigin('the tenant’s product')]);
  ({ internet, pebble, edge } = world);
  service = await Service.start(await tempFolder(), { ...world.env, ...(await delegationSettings(internet)) });
  applicationId = (await service.demo()).test.application_id;
  const settings = { origin_url: origin.url, conflict_policy: 'replace' };
  await service.call('PATCH', `/applications/${applicationId}`, settings);
});
afterAll(async () => {
  await service.stop();
  await Promise.all([world.stop(), origin.stop()]);
});

interface Detail {
  state: string;
  ready_to_point: boolean | null;
  error_code: string | null;
  certificate: { source: string | null; status: string };
  records_to_add: { host: string; type: string; value: string; status: string }[];
  ownership_challenge: { name: string; value: string };
}
const get = async (id: string): Promise<Detail> =>
  (await service.call('GET', `/connections/${id}`)).body as unknown as Detail;
const visit = (hostname: string) => visitOver(edge.port, pebble.root, hostname, edge);
const create = async (body: object): Promise<string> => {
  const made = await service.call('POST', '/connections', { application_id: applicationId, ...body });
  expect(made).toMatchObject({ status: 201 });
  return String(made.body['id']);
};

/** Registers a domain whose `shop` is served elsewhere. */
async function runningSite(): Promise<{ domain: string; hostname: string }> {
  const domain = await internet.domain();
  await internet.powerdns.set(domain, `shop.${domain}`, 'A', OLD);
  return { domain, hostname: `shop.${domain}` };
}
const pointsAt = async (domain: string, value: string): Promise<boolean> =>
  (await internet.powerdns.dump(domain)).some((line) => line.includes(`"shop.${domain}."`) && line.includes(value));
async function giveCredential(): Promise<void> {
  const { apiUrl: api_url, apiKey: api_key } = internet.powerdns;
  const body = { provider: 'powerdns', credentials: { api_url, api_key } };
  const given = await service.call('POST', `/applications/${applicationId}/credentials`, body);
  expect(given).toMatchObject({ status: 201 });
}

test('in a manual setup the certificate exists before the customer moves the record, and no deadline runs until then', async () => {
  const { domain, hostname } = await runningSite();
  const id = await create({ hostname, before_dns: true });
  const { ownership_challenge: challenge, records_to_add } = await get(id);
  const delegation = records_to_add.find(({ type, host }) => type === 'CNAME' && host.startsWith('_acme-challenge.'))!;
  expect(records_to_add.map(({ host }) => host)).toEqual([challenge.name, `_acme-challenge.${hostname}`, hostname]);
  await internet.powerdns.set(domain, challenge.name, 'TXT', `"${challenge.value}"`);
  await until(async () => (await get(id)).state === 'propagating', 60_000);
  expect((await get(id)).ready_to_point).toBe(false);
  await internet.powerdns.set(domain, delegation.host, 'CNAME', `${delegation.value}.`);

  await until(async () => (await get(id)).ready_to_point === true, 60_000);
  expect(await pointsAt(domain, OLD)).toBe(true);
  const page = await visit(hostname);
  expect([page.status, JSON.parse(page.body)]).toMatchObject([200, { label: 'the tenant’s product' }]);
  expect(await get(id)).toMatchObject({ state: 'propagating', error_code: null });

  await internet.powerdns.set(domain, hostname, 'A');
  await internet.powerdns.set(domain, hostname, 'CNAME', `${EDGE_TARGET}.`);
  await service.call('POST', `/connections/${id}/records:check`);
  expect(await service.untilLive(id)).toMatchObject({
    certificate: { source: 'ordered', status: 'issued', names: [hostname] },
    ready_to_point: null,
  });
  expect(pebble.orders.filter((name) => name === hostname)).toHaveLength(1);
});

test('a customer first adds records that change nothing for visitors, and then the record that is ready', async () => {
  await service.call('PATCH', `/applications/${applicationId}`, { before_dns: true });
  const { domain, hostname } = await runningSite();
  const browser = await launchChromium();
  const { tenant, open } = await startWidgetPages(service, browser);
  const page = await open();
  await connect(page, hostname);
  await untilTitle(page, 'Add these records');
  await page.getByText('Nothing changes for your visitors yet.').waitFor();
  const { body } = await service.call('GET', `/connections?hostname=${hostname}`);
  const [{ id }] = (body as { data: [{ id: string }] }).data;
  const [challenge, delegation, pointing] = (await get(id)).records_to_add;
  expect(pointing).toMatchObject({ host: hostname, status: 'later' });
  const shown = () => page.locator('article.record .field:first-child code').allTextContents();
  expect(await shown()).toEqual(['_service-challenge.shop', '_acme-challenge.shop']);
  await internet.powerdns.set(domain, challenge!.host, 'TXT', `"${challenge!.value}"`);
  await internet.powerdns.set(domain, delegation!.host, 'CNAME', `${delegation!.value}.`);
  await button(page, "I've added the records").click();
  await untilTitle(page, 'Connecting your domain');

  await page.getByText('Your certificate is ready.').waitFor({ timeout: 90_000 });
  expect(await shown()).toEqual(['_service-challenge.shop', '_acme-challenge.shop', 'shop']);
  expect(await page.locator('article.record .pill').allTextContents()).toEqual(['Found', 'Found', 'Ready']);
  expect(await violations(page)).toEqual([]);
  expect(await pointsAt(domain, OLD)).toBe(true);
  await internet.powerdns.set(domain, hostname, 'A');
  await internet.powerdns.set(domain, hostname, 'CNAME', `${EDGE_TARGET}.`);
  await button(page, "I've added the records").click();
  await untilTitle(page, 'Your domain is live');
  await Promise.all([browser.close(), tenant.stop()]);
  await service.call('PATCH', `/applications/${applicationId}`, { before_dns: false });
});

test('with a credential the certificate is ordered first, then the records are written, without any action', async () => {
  const { domain, hostname } = await runningSite();
  await giveCredential();
  const id = await create({ hostname, before_dns: true });
  const live = await service.untilLive(id);
  expect(live).toMatchObject({ certificate: { source: 'ordered' }, setup_type: 'automatic' });
  expect(await pointsAt(domain, EDGE_TARGET)).toBe(true);
  expect((await internet.powerdns.dump(domain)).filter((line) => line.includes('_acme-challenge'))).toEqual([]);
});

test('a connection that holds is ready without moving, serves a probe, and moves when it no longer holds', async () => {
  const { domain, hostname } = await runningSite();
  await giveCredential();
  const id = await create({ hostname, before_dns: true, point: 'hold' });
  await until(async () => (await get(id)).ready_to_point === true, 60_000);
  expect(await get(id)).toMatchObject({ state: 'dns_writing', error_code: null });
  expect((await visit(hostname)).status).toBe(200);
  expect(await pointsAt(domain, OLD)).toBe(true);

  expect(await service.call('PATCH', `/connections/${id}`, { point: 'auto' })).toMatchObject({ status: 200 });
  expect(await service.untilLive(id)).toMatchObject({ certificate: { source: 'ordered' } });
  expect(await pointsAt(domain, EDGE_TARGET)).toBe(true);
});
