import { Service } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { valuesAt } from '../support/dns-ask.ts';
import { watchAnswers } from '../support/watch-answers.ts';
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

  describe('that only a wildcard answers for', () => {
    type Listed = { code?: string; host: string; type: string; value: string; status: string };
    const listed = async (id: string) => (await get(id))['records_to_add'] as Listed[];
    const codes = async (id: string) => (await findings(id)).map(({ code }) => code);
    const answers = (hostname: string) => () => valuesAt(internet.powerdns, hostname, 'A');
    const underWildcard = async () => {
      const domain = await internet.domain();
      await internet.powerdns.set(domain, `*.${domain}`, 'A', '192.0.2.1');
      return { domain, hostname: `shop.${domain}` };
    };

    test('stays in DNS with manual setup if the records come in the order of the list', async () => {
      const { domain, hostname } = await underWildcard();
      const first = { host: hostname, type: 'A', value: '192.0.2.1', ttl: 60 };
      const check = () => service.call('POST', '/domains:check', { domain: hostname });
      expect((await check()).body).toMatchObject({
        record_conflicts: [],
        findings: [
          {
            code: 'wildcard_covers_hostname',
            severity: 'warning',
            records: [{ ...first, relative_host: 'shop' }],
            params: { hostname, wildcard: `*.${domain}` },
          },
        ],
      });

      const { id, challenge } = await connect(hostname);
      await until(async () => (await codes(id)).includes('wildcard_covers_hostname'));
      expect(await listed(id)).toMatchObject([
        { ...first, status: 'missing' },
        { host: challenge.name, type: 'TXT' },
        { host: hostname, type: 'CNAME' },
      ]);

      const visits = watchAnswers(answers(hostname));
      await internet.powerdns.set(domain, hostname, 'A', '192.0.2.1');
      await until(async () => !(await codes(id)).includes('wildcard_covers_hostname'));
      expect((await check()).body['findings']).toEqual([]);
      expect((await listed(id)).map(({ type }) => type)).toEqual(['TXT', 'CNAME']);
      await internet.powerdns.set(domain, challenge.name, 'TXT', `"${challenge.value}"`);
      expect((await service.call('POST', `/connections/${id}/verify`)).status).toBe(200);
      expect(await visits.stop()).toEqual(['192.0.2.1']);
    });

    test('as the www of an apex has its records first in the list of the apex', async () => {
      const domain = await internet.domain();
      await internet.powerdns.set(domain, `*.${domain}`, 'CNAME', 'old-host.elsewhere.com.');
      const { test } = await service.demo();
      const body = { application_id: test.application_id, hostname: domain, companion: true };
      const { id } = (await service.call('POST', '/connections', body)).body as { id: string };
      await until(async () => (await codes(id)).includes('wildcard_covers_hostname'));
      expect((await listed(id))[0]).toMatchObject({
        host: `www.${domain}`,
        type: 'CNAME',
        value: 'old-host.elsewhere.com',
      });
    });

    test('stays in DNS while a credential connects it, and DELETE returns it to the wildcard', async () => {
      const { domain, hostname } = await underWildcard();
      const before = await internet.powerdns.dump(domain);
      const { test } = await service.demo();
      const credentials = `/applications/${test.application_id}/credentials`;
      const credential = await service.call('POST', credentials, {
        provider: 'powerdns',
        credentials: { api_url: internet.powerdns.apiUrl, api_key: internet.powerdns.apiKey },
      });
      expect((await service.call('POST', '/domains:check', { domain: hostname })).body['findings']).toMatchObject([
        { code: 'wildcard_covers_hostname', severity: 'info', fix: null },
      ]);

      const visits = watchAnswers(answers(hostname));
      const { id } = await connect(hostname);
      const live = await service.untilLive(id);
      expect(live).toMatchObject({ setup_type: 'automatic', error_code: null, findings: [] });
      await service.call('DELETE', `/connections/${id}`);
      await until(async () => (await get(id))['cleanup'] === 'done');
      await until(async () => String(await answers(hostname)()) === '192.0.2.1');

      expect(await visits.stop()).toEqual(['192.0.2.1', EDGE_TARGET, '192.0.2.1']);
      expect(await internet.powerdns.dump(domain)).toEqual(before);
      await service.call('DELETE', `${credentials}/${String(credential.body['id'])}`);
    });
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
