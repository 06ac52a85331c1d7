import { EDGE, startDnsLab, wantedRecord, type DnsLab } from '../support/fixtures/dns-lab.ts';

let lab: DnsLab;
beforeAll(async () => (lab = await startDnsLab()));
afterAll(() => lab.stop());

test('an unregistered domain is reported as such', async () => {
  const observation = await lab.observer.observeDomain('nobody-has-this.test', []);
  expect(observation).toMatchObject({
    zone: { registered: false },
    kind: 'apex',
    provider: { slug: 'unknown', name: 'Unknown', confidence: 'none' },
    conflicts: [],
    mail: { mx: [], spf: null, dmarc: null },
    domainConnect: null,
  });
});

test('reports mail that must not be disturbed, and records that conflict with the wanted ones', async () => {
  const domain = await lab.domain();
  const { powerdns } = lab;
  await powerdns.set(domain, domain, 'MX', '10 mx.mail.test.');
  await powerdns.set(domain, domain, 'TXT', '"v=spf1 mx -all"', '"unrelated"');
  await powerdns.set(domain, `_dmarc.${domain}`, 'TXT', '"v=DMARC1; p=reject"');
  await powerdns.set(domain, domain, 'A', '198.51.100.1');
  await powerdns.set(domain, `shop.${domain}`, 'CNAME', 'elsewhere.test.');
  const observation = await lab.observer.observeDomain(domain, [
    wantedRecord(domain, 'ALIAS', EDGE.target),
    wantedRecord(`shop.${domain}`, 'CNAME', EDGE.target),
    wantedRecord(`free.${domain}`, 'CNAME', EDGE.target),
  ]);
  expect(observation).toMatchObject({
    registrableDomain: domain,
    zone: { name: domain, registered: true, dnssec: 'insecure', nameservers: ['ns1.lab.test'] },
    mail: { mx: ['mx.mail.test'], spf: 'v=spf1 mx -all', dmarc: 'v=DMARC1; p=reject' },
  });
  expect(observation.conflicts.map(({ host, type, value }) => [host, type, value])).toEqual([
    [domain, 'A', '198.51.100.1'],
    [`shop.${domain}`, 'CNAME', 'elsewhere.test'],
  ]);
});

test('a provider’s white-label name servers are recognised by the SOA', async () => {
  const domain = await lab.domain();
  await lab.powerdns.set(domain, domain, 'SOA', 'ns1.zoneedit.com. hostmaster.zoneedit.com. 1 3600 600 86400 60');
  const observation = await lab.observer.observeDomain(`shop.${domain}`, []);
  expect(observation).toMatchObject({
    kind: 'subdomain',
    provider: { slug: 'zoneedit', name: 'Zoneedit', confidence: 'certain' },
    capabilities: { cnameFlattening: false, caa: true },
  });
});
