import { capabilitiesOf, detectProvider } from '../../src/dns/detect.ts';
import { NAMESERVER_OWNERS } from '../../src/dns/nameserver-owners.ts';

const detect = (...nameservers: string[]) => detectProvider(nameservers, null);

test.each([
  ['cloudflare', 'anna.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
  ['cloudflare', 'blue.foundationdns.com', 'blue.foundationdns.net', 'blue.foundationdns.org'],
  ['route53', 'ns-1234.awsdns-25.org', 'ns-1.awsdns-00.com', 'ns-512.awsdns-00.net', 'ns-2047.awsdns-63.co.uk'],
  ['azure_dns', 'ns1-01.azure-dns.com', 'ns2-01.azure-dns.net', 'ns3-01.azure-dns.org', 'ns4-01.azure-dns.info'],
  ['digitalocean', 'ns1.digitalocean.com', 'ns2.digitalocean.com', 'ns3.digitalocean.com'],
  ['linode', 'ns1.linode.com', 'ns5.linode.com'],
  ['vultr', 'ns1.vultr.com', 'ns2.vultr.com'],
  ['hetzner', 'helium.ns.hetzner.de', 'hydrogen.ns.hetzner.com', 'oxygen.ns.hetzner.com'],
  ['gandi', 'ns-41-a.gandi.net', 'ns-2-b.gandi.net', 'ns-138-c.gandi.net'],
  ['godaddy', 'ns01.domaincontrol.com', 'ns02.domaincontrol.com'],
  ['namecheap', 'dns1.registrar-servers.com', 'dns2.registrar-servers.com'],
  ['namecom', 'ns1abc.name.com', 'ns4wxyz.name.com'],
  ['porkbun', 'curitiba.ns.porkbun.com', 'maceio.ns.porkbun.com'],
  ['dnsimple', 'ns1.dnsimple.com', 'ns2.dnsimple-edge.net', 'ns4.dnsimple-edge.org'],
  ['ovh', 'dns10.ovh.net', 'ns10.ovh.net'],
  ['ovh', 'dns200.anycast.me', 'ns200.anycast.me'],
  ['vercel', 'ns1.vercel-dns.com', 'ns2.vercel-dns.com'],
  ['bunny', 'kiki.bunny.net', 'coco.bunny.net'],
  ['wix', 'ns10.wixdns.net', 'ns11.wixdns.net'],
  ['ionos', 'ns1045.ui-dns.de', 'ns1045.ui-dns.com', 'ns1045.ui-dns.org', 'ns1045.ui-dns.biz'],
  ['namecheap_hosting', 'freedns1.registrar-servers.com', 'freedns2.registrar-servers.com'],
  ['parked', 'ns1.sedoparking.com', 'ns2.sedoparking.com'],
])('%s is known by its name servers', (slug, ...nameservers) => {
  expect(detect(...nameservers)).toMatchObject({ slug, confidence: 'certain', mixed: false, candidates: [{ slug }] });
});

test.each([
  {
    slugs: ['google_cloud_dns', 'squarespace'],
    servers: ['ns-cloud-a1.googledomains.com', 'ns-cloud-a2.googledomains.com'],
  },
  { slugs: ['ns1', 'netlify'], servers: ['dns1.p05.nsone.net', 'dns2.p05.nsone.net'] },
  { slugs: ['hetzner'], servers: ['ns1.first-ns.de', 'robotns2.second-ns.de', 'robotns3.second-ns.com'] },
])('name servers that $slugs may share make nobody certain', ({ slugs, servers }) => {
  const guess = detect(...servers);
  expect(guess).toMatchObject({ slug: slugs[0], confidence: 'ambiguous', mixed: false });
  expect(guess.candidates.map(({ slug }) => slug)).toEqual(slugs);
});

test('a zone that two providers serve is mixed', () => {
  expect(detect('ns1.vultr.com', 'ns1.linode.com')).toMatchObject({ confidence: 'ambiguous', mixed: true });
});

test('a zone that a provider and somebody unknown serve is mixed', () => {
  expect(detect('ns1.vultr.com', 'ns.own.example')).toMatchObject({
    slug: 'vultr',
    confidence: 'ambiguous',
    mixed: true,
  });
});

test('suffixes match at label boundaries only', () => {
  expect(detect('ns.notbunny.net', 'bunny.net.evil.example').slug).toBe('unknown');
});

test('vanity name servers are known by the SOA, known ones are not overruled by it', () => {
  const soa = { mname: 'ns1.dnsimple.com' };
  expect(detectProvider(['ns1.customer.example'], soa).slug).toBe('dnsimple');
  expect(detectProvider(['ns1.vultr.com'], soa).slug).toBe('vultr');
  expect(detectProvider([], soa).slug).toBe('unknown');
});

test('only what every possible provider can do is promised', () => {
  expect(capabilitiesOf(detect('dns1.p05.nsone.net')).cnameFlattening).toBe(false);
  expect(capabilitiesOf(detect('anna.ns.cloudflare.com')).cnameFlattening).toBe(true);
  expect(capabilitiesOf(detect('ns1abc.name.com')).caa).toBe(false);
  expect(capabilitiesOf(detect('ns.own.example'))).toEqual({
    cnameFlattening: false,
    wildcard: true,
    caa: true,
    multiTxt: true,
    nsDelegation: true,
  });
});

test('all nineteen writable providers are in the table', () => {
  const slugs = new Set(NAMESERVER_OWNERS.map(({ slug }) => slug));
  const writable =
    'cloudflare route53 google_cloud_dns azure_dns digitalocean linode vultr hetzner gandi godaddy namecheap namecom porkbun dnsimple ns1 ovh vercel netlify bunny';
  for (const slug of writable.split(' ')) expect(slugs).toContain(slug);
});
