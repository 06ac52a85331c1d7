import { startAcmeWorld, type AcmeWorld } from '../support/fixtures/acme-world.ts';
import { startEchoOrigin, type EchoOrigin } from '../support/doubles/echo-origin.ts';
import { visitOver } from '../support/fixtures/edge-lab.ts';
import type { Pebble } from '../support/servers/pebble.ts';
import { Service, withoutCaddy } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { EDGE_TARGET, type InternetLab } from '../support/fixtures/internet-lab.ts';

/** Runs `npm start` with EDGE=acme and an operator's settings, against a real CA and a real, signed DNS. */
describe('with EDGE=acme', () => {
  let world: AcmeWorld;
  let internet: InternetLab;
  let pebble: Pebble;
  let origin: EchoOrigin;
  let service: Service;
  let edge: AcmeWorld['edge'];
  beforeAll(async () => {
    [world, origin] = await Promise.all([startAcmeWorld('recursor'), startEchoOrigin('the tenant’s product')]);
    ({ internet, pebble, edge } = world);
    service = await Service.start(await tempFolder(), { ...world.env, ACME_EMAIL: 'operations@saas-product.com' });
    const { test } = await service.demo();
    await service.call('PATCH', `/applications/${test.application_id}`, { origin_url: origin.url });
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([world.stop(), origin.stop()]);
  });

  const get = async (id: string, at = service) => (await at.call('GET', `/connections/${id}`)).body;
  const visit = (hostname: string) => visitOver(edge.port, pebble.root, hostname, edge);
  /** Connects a hostname and publishes the required records manually. */
  const connect = async (domain: string, at = service): Promise<{ id: string; hostname: string }> => {
    const hostname = `shop.${domain}`;
    const id = await at.connect(hostname);
    const { ownership_challenge } = await get(id, at);
    const { name, value } = ownership_challenge as { name: string; value: string };
    await internet.powerdns.set(domain, name, 'TXT', `"${value}"`);
    await internet.powerdns.set(domain, hostname, 'CNAME', `${EDGE_TARGET}.`);
    return { id, hostname };
  };

  test('a hostname goes live with a certificate of the CA, ordered once, and its page comes from the origin', async () => {
    const { id, hostname } = await connect(await internet.domain());
    const live = await service.untilLive(id);
    expect(live).toMatchObject({
      error_code: null,
      findings: [],
      certificate: { status: 'issued', ca: expect.stringContaining('Pebble') as string },
    });
    const page = await visit(hostname);
    expect(page.status).toBe(200);
    expect(JSON.parse(page.body)).toMatchObject({
      label: 'the tenant’s product',
      headers: { 'x-forwarded-host': hostname },
    });
    expect(pebble.orders.filter((ordered) => ordered === hostname)).toHaveLength(1);
  });

  test('a zone that forbids the CA and then breaks its DNSSEC costs no order until both are fixed', async () => {
    const [domain, stranger] = [await internet.domain({ signed: true }), await internet.domain({ signed: true })];
    const right = await internet.powerdns.ds(domain);
    await internet.powerdns.set(domain, domain, 'CAA', '0 issue "other-authority.com"');
    const { id, hostname } = await connect(domain);
    await until(async () => (await get(id))['error_code'] === 'caa_blocked', 30_000);
    expect(await get(id)).toMatchObject({
      state: 'issuing_cert',
      certificate: { status: 'pending' },
      findings: [{ code: 'caa_blocked', severity: 'error', record: { host: domain, type: 'CAA' } }],
    });

    await internet.setDs(domain, ...(await internet.powerdns.ds(stranger)));
    await internet.powerdns.set(domain, domain, 'CAA');
    await until(async () => (await get(id))['error_code'] === 'dnssec_bogus', 30_000);
    expect(await get(id)).toMatchObject({
      state: 'issuing_cert',
      certificate: { status: 'pending' },
      findings: [
        {
          code: 'dnssec_bogus',
          severity: 'error',
          message: expect.stringContaining(`DNSSEC of ${domain} is broken`) as string,
          fix: expect.stringContaining('DS record') as string,
        },
      ],
    });
    expect(pebble.orders).not.toContain(hostname);

    await internet.setDs(domain, ...right);
    expect(await service.untilLive(id)).toMatchObject({ error_code: null, findings: [] });
    expect(pebble.orders.filter((ordered) => ordered === hostname)).toHaveLength(1);
    expect((await visit(hostname)).status).toBe(200);
  }, 120_000);

  test('a live hostname whose DS record no longer fits its zone shows that and how to fix it, long before its renewal', async () => {
    const [domain, stranger] = [await internet.domain({ signed: true }), await internet.domain({ signed: true })];
    const right = await internet.powerdns.ds(domain);
    const { id, hostname } = await connect(domain);
    await service.untilLive(id);
    await internet.setDs(domain, ...(await internet.powerdns.ds(stranger)));
    const checked = async () => {
      await service.call('POST', `/connections/${id}/verify`);
      return get(id);
    };
    await until(async () => (await checked())['error_code'] === 'dnssec_bogus', 60_000);
    expect(await get(id)).toMatchObject({
      state: 'live',
      certificate: { status: 'issued' },
      findings: [{ code: 'dnssec_bogus', fix: expect.stringContaining('DS record') as string }],
    });
    expect((await visit(hostname)).status).toBe(200);
    await internet.setDs(domain, ...right);
    await until(async () => (await checked())['error_code'] === null, 60_000);
    expect(await get(id)).toMatchObject({ state: 'live', findings: [] });
  }, 180_000);

  test('sandbox hostnames go live as usual, but the edge gets no certificate for them', async () => {
    const hostname = `${crypto.randomUUID().slice(0, 8)}.auto.test`;
    const live = await service.untilLive(await service.connect(hostname));
    expect(live).toMatchObject({ certificate: { status: 'issued', ca: 'Sandbox CA' } });
    await expect(visit(hostname)).rejects.toThrow(/alert|SSL/i);
    expect(pebble.orders).not.toContain(hostname);
  });

  test('without Caddy a hostname is verified and waits for its certificate instead of going live without one', async () => {
    const settings = { ...internet.env, ...(await withoutCaddy()), EDGE: 'acme' };
    const blind = await Service.start(await tempFolder(), settings);
    try {
      expect(blind.output).toContain(
        'Continuing without an edge: names wait for their certificate until there is one.\n',
      );
      const { id } = await connect(await internet.domain(), blind);
      await until(async () => (await get(id, blind))['error_code'] === 'edge_unreachable', 30_000);
      expect(await get(id, blind)).toMatchObject({
        state: 'issuing_cert',
        certificate: { status: 'pending' },
        findings: [{ code: 'edge_unreachable', message: expect.stringContaining('EDGE_TLS_ADDRESS') as string }],
      });
    } finally {
      await blind.stop();
    }
  }, 120_000);

  test('a tenant’s origin reaches neither Temporal nor the cloud’s metadata service, and the guards of production apply', async () => {
    const { test, base_url, temporal_ui_url, temporal_address } = await service.demo();
    const attacks = [
      temporal_ui_url,
      temporal_ui_url.replace('127.0.0.1', 'localhost'),
      `http://${temporal_address}`,
      `http://${EDGE_TARGET}:${edge.port}`,
      'http://169.254.169.254',
      'http://168.63.129.16',
      'http://10.0.0.1',
    ];
    for (const origin_url of attacks) {
      const { status } = await service.call('PATCH', `/applications/${test.application_id}`, { origin_url });
      expect([origin_url, status]).toEqual([origin_url, 400]);
    }
    for (const path of ['/metrics', '/demo', '/internal/ask?domain=a.com'])
      expect([path, (await fetch(base_url + path)).status]).toEqual([path, 404]);
  });

  test('the start prints the edge’s address and no key', async () => {
    const { test, live } = await service.demo();
    expect(service.output).toContain(`Edge         https://${edge.address}:${edge.port}\n`);
    expect(service.output).not.toContain(test.key);
    expect(service.output).not.toContain(live.key);
  });
});
