import type { DnsCapabilities } from '../domain/observation/domain-observation.ts';
import { PROVIDER_NAMES, type KnownSlug } from '../domain/zone/provider-names.ts';

/** Name servers of a DNS host, and the capabilities of zones there. */
export interface NameserverOwner {
  slug: string;
  name: string;
  patterns: RegExp[];
  capabilities: DnsCapabilities;
}

type Lack = keyof DnsCapabilities;

const owner = (slug: KnownSlug, patterns: RegExp[], lacks: Lack[] = []): NameserverOwner => ({
  slug,
  name: PROVIDER_NAMES[slug],
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

const manual = (slug: KnownSlug, ...suffixes: string[]): NameserverOwner =>
  owner(slug, suffixes.map(below), ['cnameFlattening']);

/** DNS hosts that we recognise for their instructions but cannot write to. */
export const HOSTS: NameserverOwner[] = [
  // Zones of Robot and konsoleH share these servers with older zones of the DNS Console.
  manual('hetzner_robot', 'first-ns.de', 'second-ns.de', 'second-ns.com'),
  manual('squarespace', 'squarespacedns.com', 'googledomains.com'),
  manual('wix', 'wixdns.net'),
  // Another product than IONOS's hosting, with an API of its own.
  manual('ionos_cloud', 'ns-ic.ui-dns.com', 'ns-ic.ui-dns.de', 'ns-ic.ui-dns.org', 'ns-ic.ui-dns.biz'),
  manual('strato', 'rzone.de'),
  manual('hostinger', 'dns-parking.com', 'hostinger.com'),
  manual('wordpress', 'wordpress.com'),
  manual('network_solutions', 'worldnic.com'),
  manual('register_com', 'register.com'),
  manual('bluehost', 'bluehost.com'),
  manual('hostgator', 'hostgator.com', 'websitewelcome.com'),
  manual('dreamhost', 'dreamhost.com'),
  manual('siteground', 'siteground.net'),
  manual('enom', 'name-services.com'),
  manual('hover', 'hover.com'),
  manual('opensrs', 'systemdns.com', 'opensrs.net'),
  manual('namesilo', 'dnsowl.com', 'namesilo.com'),
  manual('dynadot', 'dyna-ns.net', 'dynadot.com'),
  manual('spaceship', 'spaceship.net', 'spaceship.com'),
  manual('domain_com', 'domain.com'),
  manual('namebright', 'namebrightdns.com'),
  manual(
    'namecheap_hosting',
    'namecheaphosting.com',
    'freedns1.registrar-servers.com',
    'freedns2.registrar-servers.com',
    'freedns3.registrar-servers.com',
    'freedns4.registrar-servers.com',
    'freedns5.registrar-servers.com',
  ),
  manual('epik', 'epik.com'),
  manual('gname', 'gname-dns.com', 'share-dns.com', 'share-dns.net'),
  manual('sav', 'sav.com'),
  manual('dns_made_easy', 'dnsmadeeasy.com'),
  manual('constellix', 'constellix.com', 'constellix.net'),
  manual('cloudns', 'cloudns.net', 'cloudns.uk'),
  manual('easydns', 'easydns.com', 'easydns.net', 'easydns.org', 'easydns.ca', 'easydns.info'),
  manual('ultradns', 'ultradns.com', 'ultradns.net', 'ultradns.org', 'ultradns.biz', 'ultradns.info', 'ultradns.co.uk'),
  manual('akamai', 'akam.net'),
  manual('oracle', 'dns.oraclecloud.net', 'dynect.net', 'dns.dyn.com'),
  manual('rackspace', 'stabletransit.com', 'rackspace.com'),
  manual('gcore', 'gcorelabs.net', 'gcdn.services'),
  manual('njalla', 'njal.la'),
  manual('inwx', 'inwx.de', 'inwx.eu', 'inwx.net', 'inwx.com'),
  manual('transip', 'transip.net', 'transip.nl', 'transip.eu'),
  manual('hurricane_electric', 'he.net'),
  manual('afraid', 'afraid.org'),
  manual('netcup', 'root-dns.netcup.net', 'second-dns.netcup.net', 'third-dns.netcup.net'),
  manual('infomaniak', 'infomaniak.ch', 'infomaniak.com'),
  manual('loopia', 'loopia.se'),
  manual('one_com', 'one.com'),
  manual('simply', 'simply.com'),
  manual('domeneshop', 'hyp.net'),
  manual('joker', 'ns.joker.com'),
  manual('eurodns', 'eurodns.com', 'eurodns.org', 'eurodns.eu', 'eurodns.biz'),
  manual('hosting_de', 'hosting.de'),
  manual('autodns', 'ns14.net'),
  manual('mythic_beasts', 'mythic-beasts.com'),
  manual('luadns', 'luadns.net'),
  manual('aruba', 'technorail.com'),
  manual('exoscale', 'exoscale.com', 'exoscale.ch', 'exoscale.net', 'exoscale.io'),
  manual('alibaba', 'alidns.com', 'hichina.com'),
  manual('dnspod', 'dnspod.net', 'dnspod.com'),
  manual('yandex', 'yandex.net'),
  manual('reg_ru', 'reg.ru'),
  manual('microsoft_365', 'bdm.microsoftonline.com'),
  manual('fastmail', 'messagingengine.com'),
  manual('a2_hosting', 'a2hosting.com'),
  manual('inmotion', 'inmotionhosting.com'),
  manual('liquid_web', 'liquidweb.com'),
  manual('contabo', 'contabo.net'),
  manual('rage4', 'r4ns.net'),
  manual('zoneedit', 'zoneedit.com'),
  manual('bigcommerce', 'bigcommerce.com'),
  // Parking: the domain is registered, and its owner has not set up its DNS.
  manual('parked', 'sedoparking.com', 'parkingcrew.net', 'bodis.com', 'above.com', 'afternic.com', 'dan.com'),
];
