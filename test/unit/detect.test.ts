import { createDetection } from '../../src/dns/detect.ts';
import { HOSTS } from '../../src/dns/nameserver-owners.ts';
import { confirmedBy, providerAmong, slugsOf } from '../../src/domain/observation/domain-observation.ts';
import { descriptors } from '../../src/providers/registry.ts';

const { providerOf, capabilitiesOf } = createDetection(descriptors());
const detect = (...nameservers: string[]) => providerOf(nameservers, null);
const known = new Set([...descriptors(), ...HOSTS].map(({ slug }) => slug));

const SERVERS: [slug: string, ...nameservers: string[]][] = [
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
  ['desec', 'ns1.desec.io', 'ns2.desec.org'],
  ['scaleway', 'ns0.dom.scw.cloud', 'ns1.dom.scw.cloud'],
  ['bunny', 'kiki.bunny.net', 'coco.bunny.net'],
  ['wix', 'ns10.wixdns.net', 'ns11.wixdns.net'],
  ['ionos', 'ns1045.ui-dns.de', 'ns1045.ui-dns.com', 'ns1045.ui-dns.org', 'ns1045.ui-dns.biz'],
  ['namecheap_hosting', 'freedns1.registrar-servers.com', 'freedns2.registrar-servers.com'],
  ['parked', 'ns1.sedoparking.com', 'ns2.sedoparking.com'],
];

test.each(SERVERS.filter(([slug]) => known.has(slug)))('%s is detected by its name servers', (slug, ...nameservers) => {
  expect(detect(...nameservers)).toMatchObject({ slug, confidence: 'certain', mixed: false, candidates: [{ slug }] });
});

const PAIRS: { one: string; other: string; servers: string[] }[] = [
  {
    one: 'google_cloud_dns',
    other: 'squarespace',
    servers: ['ns-cloud-a1.googledomains.com', 'ns-cloud-a2.googledomains.com'],
  },
  { one: 'ns1', other: 'netlify', servers: ['dns1.p05.nsone.net', 'dns2.p05.nsone.net'] },
  {
    one: 'hetzner',
    other: 'hetzner_robot',
    servers: ['ns1.first-ns.de', 'robotns2.second-ns.de', 'robotns3.second-ns.com'],
  },
];

test.each(PAIRS.filter(({ one, other }) => known.has(one) && known.has(other)))(
  'name servers that $one and $other share identify neither for certain',
  ({ one, other, servers }) => {
    const guess = detect(...servers);
    expect(guess).toMatchObject({ confidence: 'ambiguous', mixed: false });
    expect(guess.candidates.map(({ slug }) => slug).sort()).toEqual([one, other].sort());
  },
);

test('a zone that two providers serve is mixed', () => {
  expect(detect('ns1.zoneedit.com', 'ns1.luadns.net')).toMatchObject({ confidence: 'ambiguous', mixed: true });
});

test('a zone that a known and an unknown provider serve is mixed', () => {
  expect(detect('ns1.zoneedit.com', 'ns.own.example')).toMatchObject({
    slug: 'zoneedit',
    confidence: 'ambiguous',
    mixed: true,
  });
});

test('a DNS host is either a provider or a host that we cannot write to', () => {
  const slugs = HOSTS.map(({ slug }) => slug);
  expect(descriptors().filter(({ slug }) => slugs.includes(slug))).toEqual([]);
});

test('suffixes match at label boundaries only', () => {
  expect(detect('ns.notluadns.net', 'luadns.net.evil.example').slug).toBe('unknown');
});

test('vanity name servers are identified by the SOA record, which never overrules known name servers', () => {
  const soa = { mname: 'ns1.zoneedit.com' };
  expect(providerOf(['ns1.customer.example'], soa).slug).toBe('zoneedit');
  expect(providerOf(['ns1.luadns.net'], soa).slug).toBe('luadns');
  expect(providerOf([], soa).slug).toBe('unknown');
});

const PROVIDER = {
  slug: 'bunny',
  name: 'Bunny according to its descriptor',
  nameserver_patterns: [String.raw`(^|\.)new-bunny\.net$`],
  capabilities: { cname_flattening: false, wildcard: true, caa: true, multi_txt: true, ns_delegation: true },
};

test('the reported facts about a provider come from its descriptor', () => {
  const detection = createDetection([PROVIDER]);
  const guess = detection.providerOf(['kiki.new-bunny.net'], null);
  expect(guess).toMatchObject({ slug: 'bunny', name: PROVIDER.name, confidence: 'certain' });
  expect(detection.capabilitiesOf(guess)).toMatchObject({ cnameFlattening: false, caa: true });
  expect(detection.providerOf(['kiki.bunny.net'], null).slug).toBe('unknown');
});

test('if two providers share their servers, neither is certain, and only what both can do is promised', () => {
  const can = { ...PROVIDER.capabilities, cname_flattening: true, caa: false };
  const detection = createDetection([PROVIDER, { ...PROVIDER, slug: 'twin', name: 'Twin', capabilities: can }]);
  const guess = detection.providerOf(['kiki.new-bunny.net'], null);
  expect(guess).toMatchObject({ slug: 'bunny', confidence: 'ambiguous', mixed: false });
  expect(detection.capabilitiesOf(guess)).toMatchObject({ cnameFlattening: false, caa: false, multiTxt: true });
});

test('for an unknown provider, only what every DNS server can do is promised', () => {
  expect(capabilitiesOf(detect('ns.own.example'))).toEqual({
    cnameFlattening: false,
    wildcard: true,
    caa: true,
    multiTxt: true,
    nsDelegation: true,
  });
});

test('shared name servers count as the provider whose credential we have, or the provider already known', () => {
  const shared = detect('dns1.p05.nsone.net', 'dns2.p05.nsone.net');
  for (const slug of shared.candidates.map((candidate) => candidate.slug)) {
    expect(confirmedBy(shared, slug)).toMatchObject({ slug, confidence: 'certain', candidates: [{ slug }] });
    expect(providerAmong(slugsOf(shared), slug)).toBe(slug);
  }
  expect(confirmedBy(shared, 'vultr')).toEqual(shared);
  expect(providerAmong(slugsOf(shared), 'vultr')).toBe(shared.slug);
  expect(providerAmong(null, 'vultr')).toBe('vultr');
  expect(slugsOf(detect('ns1.nobody-has-this.test'))).toEqual(['unknown']);
});
