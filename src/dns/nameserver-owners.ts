import type { DnsCapabilities } from '../domain/domain-observation.ts';

/** Whose name servers are whose. A suffix matches at a label's boundary; a pattern matches the whole name. */
export interface NameserverOwner {
  slug: string;
  name: string;
  suffixes?: string[];
  pattern?: RegExp;
  /** Shared with another provider, so that the name alone does not tell who serves the zone. */
  shared?: boolean;
  lacks?: (keyof DnsCapabilities)[];
}

/** Providers whose zones we can write. `lacks` names what a customer's zone there cannot do. */
const WRITABLE: NameserverOwner[] = [
  {
    slug: 'cloudflare',
    name: 'Cloudflare',
    suffixes: ['ns.cloudflare.com', 'foundationdns.com', 'foundationdns.net', 'foundationdns.org'],
  },
  {
    slug: 'route53',
    name: 'Amazon Route 53',
    pattern: /^(ns-\d+\.awsdns-\d+|ns\d+\.amzndns)\.(com|net|org|co\.uk)$/,
    lacks: ['cnameFlattening'],
  },
  {
    slug: 'google_cloud_dns',
    name: 'Google Cloud DNS',
    pattern: /^ns-cloud-[a-e][1-4]\.googledomains\.com$/,
    shared: true,
  },
  {
    slug: 'azure_dns',
    name: 'Azure DNS',
    suffixes: ['azure-dns.com', 'azure-dns.net', 'azure-dns.org', 'azure-dns.info'],
    lacks: ['cnameFlattening'],
  },
  { slug: 'digitalocean', name: 'DigitalOcean', pattern: /^ns[1-3]\.digitalocean\.com$/, lacks: ['cnameFlattening'] },
  { slug: 'linode', name: 'Linode', pattern: /^ns[1-5]\.linode\.com$/, lacks: ['cnameFlattening'] },
  { slug: 'vultr', name: 'Vultr', pattern: /^ns[12]\.vultr\.com$/, lacks: ['cnameFlattening'] },
  { slug: 'hetzner', name: 'Hetzner', suffixes: ['ns.hetzner.com', 'ns.hetzner.de'], lacks: ['cnameFlattening'] },
  {
    slug: 'hetzner',
    name: 'Hetzner',
    suffixes: ['first-ns.de', 'second-ns.de', 'second-ns.com'],
    shared: true,
    lacks: ['cnameFlattening'],
  },
  { slug: 'gandi', name: 'Gandi', pattern: /^ns-\d+-[abc]\.gandi\.net$/ },
  { slug: 'godaddy', name: 'GoDaddy', suffixes: ['domaincontrol.com'] },
  { slug: 'namecheap', name: 'Namecheap', pattern: /^p?dns[12]\.registrar-servers\.com$/ },
  { slug: 'namecom', name: 'Name.com', pattern: /^ns[1-4][a-z]{3,4}\.name\.com$/, lacks: ['caa'] },
  { slug: 'porkbun', name: 'Porkbun', suffixes: ['ns.porkbun.com'] },
  { slug: 'dnsimple', name: 'DNSimple', suffixes: ['dnsimple.com', 'dnsimple-edge.net', 'dnsimple-edge.org'] },
  { slug: 'ns1', name: 'NS1', pattern: /^dns[1-4]\.p\d{2}\.nsone\.net$/, shared: true },
  {
    slug: 'netlify',
    name: 'Netlify',
    pattern: /^dns[1-4]\.p\d{2}\.nsone\.net$/,
    shared: true,
    lacks: ['cnameFlattening'],
  },
  {
    slug: 'ovh',
    name: 'OVHcloud',
    suffixes: ['ovh.net', 'ovh.ca', 'ovh.co.uk', 'anycast.me'],
    lacks: ['cnameFlattening'],
  },
  { slug: 'vercel', name: 'Vercel', suffixes: ['vercel-dns.com'] },
  { slug: 'bunny', name: 'bunny.net', suffixes: ['bunny.net'] },
];

const manual = (slug: string, name: string, ...suffixes: string[]): NameserverOwner => ({
  slug,
  name,
  suffixes,
  lacks: ['cnameFlattening'],
});

/** Providers we recognize, so that instructions fit, and cannot write to. */
const MANUAL: NameserverOwner[] = [
  manual('squarespace', 'Squarespace Domains', 'squarespacedns.com', 'googledomains.com'),
  manual('wix', 'Wix', 'wixdns.net'),
  manual('ionos', 'IONOS', 'ui-dns.com', 'ui-dns.de', 'ui-dns.org', 'ui-dns.biz', '1and1.com', 'ionos.com'),
  manual('strato', 'STRATO', 'rzone.de'),
  manual('hostinger', 'Hostinger', 'dns-parking.com', 'hostinger.com'),
  manual('wordpress', 'WordPress.com', 'wordpress.com'),
  manual('network_solutions', 'Network Solutions', 'worldnic.com'),
  manual('register_com', 'Register.com', 'register.com'),
  manual('bluehost', 'Bluehost', 'bluehost.com'),
  manual('hostgator', 'HostGator', 'hostgator.com', 'websitewelcome.com'),
  manual('dreamhost', 'DreamHost', 'dreamhost.com'),
  manual('siteground', 'SiteGround', 'siteground.net'),
  manual('enom', 'Enom', 'name-services.com'),
  manual('hover', 'Hover', 'hover.com'),
  manual('opensrs', 'OpenSRS', 'systemdns.com', 'opensrs.net'),
  manual('namesilo', 'NameSilo', 'dnsowl.com', 'namesilo.com'),
  manual('dynadot', 'Dynadot', 'dyna-ns.net', 'dynadot.com'),
  manual('spaceship', 'Spaceship', 'spaceship.net', 'spaceship.com'),
  manual('domain_com', 'Domain.com', 'domain.com'),
  manual('namebright', 'NameBright', 'namebrightdns.com'),
  manual(
    'namecheap_hosting',
    'Namecheap hosting',
    'namecheaphosting.com',
    'freedns1.registrar-servers.com',
    'freedns2.registrar-servers.com',
    'freedns3.registrar-servers.com',
    'freedns4.registrar-servers.com',
    'freedns5.registrar-servers.com',
  ),
  manual('epik', 'Epik', 'epik.com'),
  manual('gname', 'Gname', 'gname-dns.com', 'share-dns.com', 'share-dns.net'),
  manual('sav', 'Sav', 'sav.com'),
  manual('dns_made_easy', 'DNS Made Easy', 'dnsmadeeasy.com'),
  manual('constellix', 'Constellix', 'constellix.com', 'constellix.net'),
  manual('cloudns', 'ClouDNS', 'cloudns.net', 'cloudns.uk'),
  manual('easydns', 'easyDNS', 'easydns.com', 'easydns.net', 'easydns.org', 'easydns.ca', 'easydns.info'),
  manual(
    'ultradns',
    'UltraDNS',
    'ultradns.com',
    'ultradns.net',
    'ultradns.org',
    'ultradns.biz',
    'ultradns.info',
    'ultradns.co.uk',
  ),
  manual('akamai', 'Akamai Edge DNS', 'akam.net'),
  manual('oracle', 'Oracle DNS', 'dns.oraclecloud.net', 'dynect.net', 'dns.dyn.com'),
  manual('rackspace', 'Rackspace', 'stabletransit.com', 'rackspace.com'),
  manual('gcore', 'Gcore', 'gcorelabs.net', 'gcdn.services'),
  manual('scaleway', 'Scaleway', 'dom.scw.cloud'),
  manual('desec', 'deSEC', 'desec.io', 'desec.org'),
  manual('njalla', 'Njalla', 'njal.la'),
  manual('inwx', 'INWX', 'inwx.de', 'inwx.eu', 'inwx.net', 'inwx.com'),
  manual('transip', 'TransIP', 'transip.net', 'transip.nl', 'transip.eu'),
  manual('hurricane_electric', 'Hurricane Electric', 'he.net'),
  manual('afraid', 'FreeDNS (afraid.org)', 'afraid.org'),
  manual('netcup', 'netcup', 'root-dns.netcup.net', 'second-dns.netcup.net', 'third-dns.netcup.net'),
  manual('infomaniak', 'Infomaniak', 'infomaniak.ch', 'infomaniak.com'),
  manual('loopia', 'Loopia', 'loopia.se'),
  manual('one_com', 'one.com', 'one.com'),
  manual('simply', 'Simply.com', 'simply.com'),
  manual('domeneshop', 'Domeneshop', 'hyp.net'),
  manual('joker', 'Joker', 'ns.joker.com'),
  manual('eurodns', 'EuroDNS', 'eurodns.com', 'eurodns.org', 'eurodns.eu', 'eurodns.biz'),
  manual('hosting_de', 'hosting.de', 'hosting.de'),
  manual('autodns', 'AutoDNS', 'ns14.net'),
  manual('mythic_beasts', 'Mythic Beasts', 'mythic-beasts.com'),
  manual('luadns', 'LuaDNS', 'luadns.net'),
  manual('aruba', 'Aruba.it', 'technorail.com'),
  manual('exoscale', 'Exoscale', 'exoscale.com', 'exoscale.ch', 'exoscale.net', 'exoscale.io'),
  manual('alibaba', 'Alibaba Cloud DNS', 'alidns.com', 'hichina.com'),
  manual('dnspod', 'DNSPod', 'dnspod.net', 'dnspod.com'),
  manual('yandex', 'Yandex 360', 'yandex.net'),
  manual('reg_ru', 'Reg.ru', 'reg.ru'),
  manual('microsoft_365', 'Microsoft 365', 'bdm.microsoftonline.com'),
  manual('fastmail', 'Fastmail', 'messagingengine.com'),
  manual('a2_hosting', 'A2 Hosting', 'a2hosting.com'),
  manual('inmotion', 'InMotion Hosting', 'inmotionhosting.com'),
  manual('liquid_web', 'Liquid Web', 'liquidweb.com'),
  manual('contabo', 'Contabo', 'contabo.net'),
  manual('rage4', 'Rage4', 'r4ns.net'),
  manual('zoneedit', 'Zoneedit', 'zoneedit.com'),
  manual('bigcommerce', 'BigCommerce', 'bigcommerce.com'),
];

/** Parking: the domain is registered and nobody has set up its DNS yet. */
const PARKED: NameserverOwner[] = [
  manual(
    'parked',
    'Domain parking',
    'sedoparking.com',
    'parkingcrew.net',
    'bodis.com',
    'above.com',
    'afternic.com',
    'dan.com',
  ),
];

export const NAMESERVER_OWNERS: NameserverOwner[] = [...WRITABLE, ...MANUAL, ...PARKED];
