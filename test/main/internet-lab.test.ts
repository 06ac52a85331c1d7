import { Service } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { EDGE_TARGET, startInternetLab, type InternetLab } from '../support/fixtures/internet-lab.ts';

/** Runs the whole service against a real authoritative server behind a real caching resolver, like a customer. */
describe('a domain in the real DNS', () => {
  let internet: InternetLab;
  let service: Service;
  beforeAll(async () => {
    internet = await startInternetLab();
    service = await Service.start(await tempFolder(), { ...internet.env, RATE_LIMIT_VERIFY: '0' });
  });
  afterAll(async () => {
    await service.stop();
    await internet.stop();
  });

  type Challenge = { name: string; value: string };
  const get = async (id: string) => (await service.call('GET', `/connections/${id}`)).body;
  const connect = async (hostname: string) => {
    const id = await service.connect(hostname);
    const { ownership_challenge } = await get(id);
    return { id, challenge: ownership_challenge as Challenge };
  };
  const findings = async (id: string) => (await get(id))['findings'] as { code: string; fix: string }[];
  const seen = (id: string) => until(async () => (await get(id))['last_checked_at'] !== null);

  test('is verified and goes live with manual setup, although its zone makes resolvers cache negative answers for an hour', async () => {
    const domain = await internet.domain({ negativeTtl: 3_600 });
    const hostname = `shop.${domain}`;
    const check = await service.call('POST', '/domains:check', { domain: hostname });
    expect(check).toMatchObject({
      status: 200,
      body: { registered: true, setup_type: 'manual', apex: false, record_conflicts: [] },
    });

    const { id, challenge } = await connect(hostname);
    await seen(id);
    expect(await findings(id)).toMatchObject([
      { code: 'missing', record: { host: challenge.name, value: challenge.value } },
    ]);
    expect(await service.call('POST', `/connections/${id}/verify`)).toMatchObject({
      status: 409,
      body: {
        error: { code: 'ownership_not_found', details: { name: challenge.name, outcome: 'missing', observed: [] } },
      },
    });
    await service.call('POST', `/connections/${id}/records:check`);

    await internet.powerdns.set(domain, challenge.name, 'TXT', `"${challenge.value}"`);
    const verified = await service.call('POST', `/connections/${id}/verify`);
    expect(verified.status).toBe(200);
    const before = await service.call('POST', `/connections/${id}/records:check`);
    expect(before.body['records']).toMatchObject([{ type: 'CNAME', propagated: false, observed_value: null }]);

    await internet.powerdns.set(domain, hostname, 'CNAME', `${EDGE_TARGET}.`);
    const live = await service.untilLive(id);
    expect(live).toMatchObject({ setup_type: 'manual', error_code: null, certificate: { status: 'none' } });
    expect(live['observed_records']).toMatchObject([{ type: 'CNAME', value: EDGE_TARGET, propagated: true }]);
  });

  test('that is not registered has no name server, not even its parent’s', async () => {
    const check = await service.call('POST', '/domains:check', { domain: 'nobody-has-this.com' });
    expect(check).toMatchObject({
      status: 200,
      body: { registered: false, nameserver: null, provider_slug: 'unknown' },
    });
  });

  test('with the token at the wrong name gets a finding that names both places', async () => {
    const domain = await internet.domain();
    const { id, challenge } = await connect(`shop.${domain}`);
    await internet.powerdns.set(domain, `shop.${domain}`, 'TXT', `"${challenge.value}"`);
    await until(async () => (await findings(id))[0]?.code === 'challenge_at_bare_host');
    expect((await findings(id))[0]?.fix).toContain(challenge.name);
  });

  test('whose zone we can write goes live without a manual step; other records stay, and DELETE restores the zone', async () => {
    const domain = await internet.domain();
    await internet.powerdns.set(domain, domain, 'MX', '10 mail.elsewhere.com.');
    await internet.powerdns.set(domain, `_service-challenge.shop.${domain}`, 'TXT', '"somebody else"');
    const before = await internet.powerdns.dump(domain);
    const { test } = await service.demo();
    const credential = await service.call('POST', `/applications/${test.application_id}/credentials`, {
      provider: 'powerdns',
      credentials: { api_url: internet.powerdns.apiUrl, api_key: internet.powerdns.apiKey },
    });
    expect(credential).toMatchObject({
      status: 201,
      body: { status: 'ok', zones: expect.arrayContaining([domain]) as string[] },
    });
    expect(JSON.stringify(credential.body)).not.toContain(internet.powerdns.apiKey);

    const { id } = await connect(`shop.${domain}`);
    const live = await service.untilLive(id);
    expect(live).toMatchObject({ setup_type: 'automatic', error_code: null });
    expect(await internet.powerdns.dump(domain)).toEqual(expect.arrayContaining(before));
    const plan = await service.call('POST', `/connections/${id}/dns:plan`);
    expect(plan.body).toMatchObject({ creates: [], conflicts: [], removals: [] });

    const withShop = await internet.powerdns.dump(domain);
    const second = await connect(`www.${domain}`);
    await service.untilLive(second.id);
    const reverted = await service.call('POST', `/connections/${second.id}/dns:revert`);
    expect(reverted).toMatchObject({ status: 200, body: { reverted: true, values: 2 } });
    expect(await internet.powerdns.dump(domain)).toEqual(withShop);

    await service.call('DELETE', `/connections/${id}`);
    await until(async () => (await get(id))['cleanup'] === 'done');
    expect(await internet.powerdns.dump(domain)).toEqual(before);
    await service
      .call('DELETE', `/applications/${test.application_id}/credentials/${String(credential.body['id'])}`)
      .catch(() => undefined);
  });

  test('whose name servers all fall silent keeps its state', async () => {
    const { id } = await connect(`shop.${await internet.domain()}`);
    await seen(id);
    await internet.stop();
    const { last_checked_at } = await get(id);
    await until(async () => (await get(id))['error_code'] === 'nameserver_unreachable', 30_000);
    expect((await get(id))['last_checked_at']).not.toBe(last_checked_at);
    expect((await get(id))['state']).toMatch(/pending_ownership|verifying/);
  });
});
