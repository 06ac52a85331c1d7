import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { freePort } from '../../src/embedded/ports.ts';
import { startAcmeWorld, type AcmeWorld } from '../support/fixtures/acme-world.ts';
import { EDGE_TARGET, type InternetLab } from '../support/fixtures/internet-lab.ts';
import { Service } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

jest.setTimeout(240_000);

/** The site's old address. */
const OLD = '192.0.2.1';
const OBSERVED = { observe_for: 30, probe: { path: '/health', expect_text: 'works' } };

/** Cutovers of running sites, with a real CA, a real DNS, a recursor, the real edge and its agent. */
let world: AcmeWorld;
let internet: InternetLab;
let origin: Server;
let originStatus = 200;
let service: Service;
let startService: () => Promise<Service>;
let applicationId: string;
beforeAll(async () => {
  const originPort = await freePort();
  origin = createServer((_request, response) => response.writeHead(originStatus).end('The site works.'));
  await once(origin.listen(originPort, '127.0.0.1'), 'listening');
  world = await startAcmeWorld();
  ({ internet } = world);
  const { powerdns } = internet;
  const folder = await tempFolder();
  startService = () => Service.start(folder, world.env);
  service = await startService();
  applicationId = (await service.demo()).test.application_id;
  await service.call('PATCH', `/applications/${applicationId}`, { origin_url: `http://127.0.0.1:${originPort}` });
  const { apiUrl: api_url, apiKey: api_key } = powerdns;
  const credential = { provider: 'powerdns', credentials: { api_url, api_key } };
  await service.call('POST', `/applications/${applicationId}/credentials`, credential);
});
beforeEach(() => void (originStatus = 200));
afterAll(async () => {
  await service.stop();
  origin.closeAllConnections();
  origin.close();
  await world.stop();
});

interface Site {
  id: string;
  domain: string;
  hostname: string;
}

/** Connects a site that runs elsewhere, and waits until it can be pointed here. */
async function holdingSite(): Promise<Site> {
  const domain = await internet.domain();
  const hostname = `shop.${domain}`;
  await internet.powerdns.set(domain, hostname, 'A', OLD);
  const body = { application_id: applicationId, hostname, before_dns: true, point: 'hold' };
  const made = await service.call('POST', '/connections', body);
  expect(made).toMatchObject({ status: 201 });
  const id = String(made.body['id']);
  await until(async () => (await connectionOf(id))['ready_to_point'] === true, 90_000);
  return { id, domain, hostname };
}
const connectionOf = async (id: string) => (await service.call('GET', `/connections/${id}`)).body;
const cutover = (method: 'GET' | 'POST' | 'DELETE', { id }: Site, body?: object) =>
  service.call(method, `/connections/${id}/cutover`, body);
/** Waits for a state. The recursor caches no answer, as if the TTL had passed. */
async function reaches(site: Site, state: string): Promise<Record<string, unknown>> {
  await until(async () => {
    await internet.recursor.flush(site.domain);
    const { body } = await cutover('GET', site);
    return body['state'] === state || body['ended_at'] !== null;
  }, 120_000);
  const { body } = await cutover('GET', site);
  expect(body).toMatchObject({ state });
  return body;
}
const published = async ({ domain, hostname }: Site): Promise<string[]> =>
  (await internet.powerdns.dump(domain))
    .map((line) => JSON.parse(line) as [string, string, number, { content: string }])
    .filter(([name]) => name === `${hostname}.`)
    .map(([, type, , { content }]) => `${type} ${content}`);

const ttlOf = async ({ domain, hostname }: Site): Promise<number | undefined> =>
  (await internet.powerdns.dump(domain))
    .map((line) => JSON.parse(line) as [string, string, number])
    .find(([name]) => name === `${hostname}.`)?.[2];

/** Publishes the old address with a TTL, through the API of PowerDNS. */
async function setOld(domain: string, hostname: string, ttl: number): Promise<void> {
  const { apiUrl, apiKey } = internet.powerdns;
  const records = [{ content: OLD, disabled: false }];
  const rrsets = [{ name: `${hostname}.`, type: 'A', ttl, changetype: 'REPLACE', records }];
  const url = `${apiUrl}/api/v1/servers/localhost/zones/${domain}.`;
  const answer = await fetch(url, {
    method: 'PATCH',
    headers: { 'x-api-key': apiKey },
    body: JSON.stringify({ rrsets }),
  });
  expect(answer.status).toBe(204);
}

test('a site moves, is observed although the service was killed meanwhile, and stays', async () => {
  const site = await holdingSite();
  const planned = await cutover('POST', site, { dry_run: true });
  expect(planned).toMatchObject({
    status: 200,
    body: {
      state: 'planned',
      plan: {
        removes: [{ host: site.hostname, type: 'A', value: OLD, ttl: 60 }],
        adds: [{ host: site.hostname, type: 'CNAME', value: EDGE_TARGET }],
      },
    },
  });
  expect(await published(site)).toEqual([`A ${OLD}`]);

  expect(await cutover('POST', site, OBSERVED)).toMatchObject({ status: 202 });
  expect(await cutover('POST', site, OBSERVED)).toMatchObject({ status: 409 });
  await reaches(site, 'observing');
  expect(await published(site)).toEqual([`CNAME ${EDGE_TARGET}.`]);
  await service.stop('SIGKILL');
  service = await startService();

  const done = await reaches(site, 'done');
  expect(done).toMatchObject({ reason: null, probes: expect.arrayContaining([expect.objectContaining({ via: 'edge', verdict: 'ok', status: 200 }), expect.objectContaining({ via: 'dns', verdict: 'ok', status: 200 })]) as unknown }); // prettier-ignore
  expect(await service.untilLive(site.id)).toMatchObject({ point: 'auto', certificate: { source: 'ordered' } });
  expect(await published(site)).toEqual([`CNAME ${EDGE_TARGET}.`]);
});

test('a site that fails after the move gets its old records back, and the connection holds again', async () => {
  const site = await holdingSite();
  expect(await cutover('POST', site, OBSERVED)).toMatchObject({ status: 202 });
  await reaches(site, 'observing');
  originStatus = 500;
  const reverted = await reaches(site, 'reverted');
  expect(reverted['reason']).toMatch('The site answered 500');
  expect(await published(site)).toEqual([`A ${OLD}`]);
  expect(await connectionOf(site.id)).toMatchObject({
    state: 'dns_writing',
    point: 'hold',
    ready_to_point: true,
    error_code: null,
    findings: [{ code: 'cutover_reverted' }],
  });
  const events = await service.call('GET', `/events?connection_id=${site.id}&type=domain.cutover_reverted`);
  expect(events.body).toMatchObject({ data: [{ data: { cutover: { reason: reverted['reason'] } } }] });

  originStatus = 200;
  expect(await cutover('POST', site, OBSERVED)).toMatchObject({ status: 202 });
  await reaches(site, 'done');
  expect(await published(site)).toEqual([`CNAME ${EDGE_TARGET}.`]);
});

test('a site that the edge does not serve is never moved', async () => {
  const site = await holdingSite();
  originStatus = 503;
  expect(await cutover('POST', site, OBSERVED)).toMatchObject({ status: 202 });
  const failed = await reaches(site, 'failed');
  expect(failed).toMatchObject({ moved_at: null, probes: [{ status: 503 }, { status: 503 }, { status: 503 }] });
  expect(failed['reason']).toMatch('Nothing was moved');
  expect(await published(site)).toEqual([`A ${OLD}`]);
  expect(await connectionOf(site.id)).toMatchObject({ state: 'dns_writing', point: 'hold', ready_to_point: true });
});

test('a cancelled cutover restores what it moved, and another plan than the one shown needs consent', async () => {
  const site = await holdingSite();
  expect(await cutover('POST', site, { dry_run: true })).toMatchObject({ status: 200 });
  await internet.powerdns.set(site.domain, site.hostname, 'A', '192.0.2.2');
  expect(await cutover('POST', site, OBSERVED)).toMatchObject({
    status: 409,
    body: { error: { details: { plan: { removes: [{ value: '192.0.2.2' }] } } } },
  });
  expect(await published(site)).toEqual(['A 192.0.2.2']);

  expect(await cutover('POST', site, OBSERVED)).toMatchObject({ status: 202 });
  await reaches(site, 'observing');
  expect(await cutover('DELETE', site)).toMatchObject({ status: 202 });
  await reaches(site, 'cancelled');
  expect(await published(site)).toEqual(['A 192.0.2.2']);
  expect(await connectionOf(site.id)).toMatchObject({ state: 'dns_writing', point: 'hold', ready_to_point: true, findings: [] }); // prettier-ignore
  expect(await cutover('DELETE', site)).toMatchObject({ status: 409 });
});

test('TTLs are lowered before the move, and a zone that changes meanwhile is not touched', async () => {
  const domain = await internet.domain();
  const hostname = `shop.${domain}`;
  await setOld(domain, hostname, 70);
  // The application's conflict_policy refuses to replace the record.
  const made = await service.call('POST', '/connections', {
    application_id: applicationId,
    hostname,
    before_dns: true,
  });
  const site = { id: String(made.body['id']), domain, hostname };
  await until(async () => (await connectionOf(site.id))['error_code'] === 'record_conflict', 90_000);
  expect(await connectionOf(site.id)).toMatchObject({ ready_to_point: true });

  expect(await cutover('POST', site, { ...OBSERVED, lower_ttl: 60 })).toMatchObject({ status: 202 });
  await until(async () => (await ttlOf(site)) === 60);
  expect(await cutover('GET', site)).toMatchObject({ body: { state: 'waiting_for_ttl' } });
  await internet.powerdns.set(domain, hostname, 'A', '192.0.2.3');
  const failed = await reaches(site, 'failed');
  expect(failed['reason']).toMatch('no longer those of the plan');
  expect([await published(site), await ttlOf(site)]).toEqual([['A 192.0.2.3'], 70]);
  expect(await connectionOf(site.id)).toMatchObject({ error_code: 'record_conflict' });

  expect(await cutover('POST', site, OBSERVED)).toMatchObject({ status: 202 });
  await reaches(site, 'observing');
  expect(await published(site)).toEqual([`CNAME ${EDGE_TARGET}.`]);
  expect(await service.untilLive(site.id)).toMatchObject({ setup_type: 'automatic', error_code: null });
});

test('a connection that neither holds nor has conflicting records is not cut over', async () => {
  const hostname = `shop.${await internet.domain()}`;
  const made = await service.call('POST', '/connections', { application_id: applicationId, hostname });
  const refused = await cutover('POST', { id: String(made.body['id']), domain: '', hostname }, OBSERVED);
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
});
