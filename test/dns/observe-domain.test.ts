import { createObserver } from '../../src/dns/observer.ts';
import { EDGE, eyesOn, startLaboratory, wantedRecord, type Laboratory } from '../support/dns-laboratory.ts';

let laboratory: Laboratory;
beforeAll(async () => (laboratory = await startLaboratory()));
afterAll(() => laboratory.stop());

test('an unregistered domain is told as such', async () => {
  const look = await laboratory.observer.observeDomain('nobody-has-this.test', []);
  expect(look).toMatchObject({
    zone: { registered: false },
    kind: 'apex',
    provider: { slug: 'unknown', name: 'Unknown', confidence: 'none' },
    conflicts: [],
    mail: { mx: [], spf: null, dmarc: null },
    domainConnect: null,
  });
});

test('tells mail that must not be disturbed, and what stands in the way of the wanted records', async () => {
  const domain = await laboratory.domain();
  const { powerdns } = laboratory;
  await powerdns.set(domain, domain, 'MX', '10 mx.mail.test.');
  await powerdns.set(domain, domain, 'TXT', '"v=spf1 mx -all"', '"unrelated"');
  await powerdns.set(domain, `_dmarc.${domain}`, 'TXT', '"v=DMARC1; p=reject"');
  await powerdns.set(domain, domain, 'A', '198.51.100.1');
  await powerdns.set(domain, `shop.${domain}`, 'CNAME', 'elsewhere.test.');
  const look = await laboratory.observer.observeDomain(domain, [
    wantedRecord(domain, 'ALIAS', EDGE.target),
    wantedRecord(`shop.${domain}`, 'CNAME', EDGE.target),
    wantedRecord(`free.${domain}`, 'CNAME', EDGE.target),
  ]);
  expect(look).toMatchObject({
    registrableDomain: domain,
    zone: { name: domain, registered: true, dnssec: 'insecure', nameservers: ['ns1.lab.test'] },
    mail: { mx: ['mx.mail.test'], spf: 'v=spf1 mx -all', dmarc: 'v=DMARC1; p=reject' },
  });
  expect(look.conflicts.map(({ host, type, value }) => [host, type, value])).toEqual([
    [domain, 'A', '198.51.100.1'],
    [`shop.${domain}`, 'CNAME', 'elsewhere.test'],
  ]);
});

test('a provider’s white-label name servers are known by the SOA', async () => {
  const domain = await laboratory.domain();
  await laboratory.powerdns.set(domain, domain, 'SOA', 'ns1.desec.io. hostmaster.desec.io. 1 3600 600 86400 60');
  const look = await laboratory.observer.observeDomain(`shop.${domain}`, []);
  expect(look).toMatchObject({
    kind: 'subdomain',
    provider: { slug: 'desec', name: 'deSEC', confidence: 'certain' },
    capabilities: { cnameFlattening: false, caa: true },
  });
});

describe('Domain Connect', () => {
  const settings = {
    providerId: 'provider.test',
    providerName: 'A provider',
    urlAPI: 'https://api.provider.test',
    urlSyncUX: 'https://ux.provider.test',
  };

  async function discover(published: string, body: string, status = 200) {
    const domain = await laboratory.domain();
    await laboratory.powerdns.set(domain, `_domainconnect.${domain}`, 'CNAME', `_domainconnect-${domain}.`);
    await laboratory.powerdns.set('test', `_domainconnect-${domain}`, 'TXT', `"${published}"`);
    const fetched: string[] = [];
    const fetch = (url: string) => {
      fetched.push(url);
      return Promise.resolve(new Response(body, { status }));
    };
    const observer = createObserver(eyesOn(laboratory.recursor, laboratory.powerdns.port), { fetch });
    const { domainConnect } = await observer.observeDomain(`shop.${domain}`, []);
    await observer.close();
    return { domain, fetched, domainConnect };
  }

  test('an offer is found through the CNAME that providers publish', async () => {
    const { domain, fetched, domainConnect } = await discover('dc.provider.test/api', JSON.stringify(settings));
    expect(fetched).toEqual([`https://dc.provider.test/api/v2/${domain}/settings`]);
    expect(domainConnect).toEqual({
      ...settings,
      endpoint: 'dc.provider.test/api',
      urlAsyncUX: null,
      urlControlPanel: null,
    });
  });

  test.each(['127.0.0.1', '10.0.0.1/x', 'user@host.test', 'host.test:8080', 'localhost', 'host.test/../x?y#z', ''])(
    'what is no plain host and path is never fetched: %p',
    async (published) => {
      const { fetched, domainConnect } = await discover(published, JSON.stringify(settings));
      expect(fetched).toEqual([]);
      expect(domainConnect).toBeNull();
    },
  );

  test.each([
    ['not served here', '{}', 404],
    ['no JSON', '<html>', 200],
    ['a URL that is not https', JSON.stringify({ ...settings, urlAPI: 'http://10.0.0.1' }), 200],
    ['more than anybody should send', JSON.stringify({ ...settings, padding: 'x'.repeat(70_000) }), 200],
  ])('%s means not offered', async (_, body, status) => {
    expect((await discover('dc.provider.test', body, status)).domainConnect).toBeNull();
  });
});
