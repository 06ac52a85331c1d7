import type { DnsCapabilities } from '../domain/observation/domain-observation.ts';

/** Name servers of a DNS host, and the capabilities of zones there. */
export interface NameserverOwner {
  slug: string;
  name: string;
  patterns: RegExp[];
  capabilities: DnsCapabilities;
}

type Lack = keyof DnsCapabilities;

const owner = (slug: string, name: string, patterns: RegExp[], lacks: Lack[] = []): NameserverOwner => ({
  slug,
  name,
  patterns,
  capabilities: {
    cnameFlattening: !lacks.includes('cnameFlattening'),
    wildcard: !lacks.includes('wildcard'),
    caa: !lacks.includes('caa'),
    multiTxt: !lacks.includes('multiTxt'),
    nsDelegation: !lacks.includes('nsDelegation'),
  },
});

/** Matches the name itself and every name below it, at label boundaries only. */
const below = (suffix: string): RegExp => new RegExp(`(^|\\.)${suffix.replaceAll('.', '\\.')}$`);

const manual = (slug: string, name: string, ...suffixes: string[]): NameserverOwner =>
  owner(slug, name, suffixes.map(below), ['cnameFlattening']);

/** DNS hosts that we recognise for their instructions but cannot write to. */
export const HOSTS: NameserverOwner[] = [
  // Zones of Robot and konsoleH share these servers with older zones of the DNS Console.
  manual('hetzner_robot', 'Hetzner Robot', 'first-ns.de', 'second-ns.de', 'second-ns.com'),
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
  // Parking: the domain is registered, and its owner has not set up its DNS.
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
