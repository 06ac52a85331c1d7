/** Name servers of each provider, from its documentation, and names that resemble them and belong to others. */
export const NAME_SERVERS: Readonly<Record<string, { own: readonly string[]; similar: readonly string[] }>> = {
  azure_dns: {
    own: ['ns1-01.azure-dns.com', 'ns2-01.azure-dns.net', 'ns3-01.azure-dns.org', 'ns4-01.azure-dns.info'],
    similar: ['ns1-01.azure-dns.com.evil.test', 'ns1-01.notazure-dns.com'],
  },
  bunny: { own: ['kiki.bunny.net', 'coco.bunny.net'], similar: ['kiki.bunny.net.evil.test', 'kiki.notbunny.net'] },
  cloudflare: {
    own: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com', 'blue.foundationdns.com', 'blue.foundationdns.org'],
    similar: ['ns.cloudflare.com.evil.test', 'xns.cloudflare.com', 'cloudflare.com'],
  },
  desec: {
    own: ['ns1.desec.io', 'ns2.desec.org'],
    similar: ['ns1.desec.io.evil.test', 'ns1.notdesec.io', 'www.desec.io'],
  },
  digitalocean: {
    own: ['ns1.digitalocean.com', 'ns2.digitalocean.com', 'ns3.digitalocean.com'],
    similar: ['ns1.digitalocean.com.evil.test', 'ns4.digitalocean.com', 'www.digitalocean.com'],
  },
  dnsimple: {
    own: ['ns1.dnsimple.com', 'ns2.dnsimple-edge.net', 'ns3.dnsimple.com', 'ns4.dnsimple-edge.org'],
    similar: ['ns1.dnsimple.com.evil.test', 'ns1.notdnsimple.com'],
  },
  gandi: {
    own: ['ns-41-a.gandi.net', 'ns-2-b.gandi.net', 'ns-138-c.gandi.net'],
    similar: ['ns-41-a.gandi.net.evil.test', 'ns-41-d.gandi.net', 'www.gandi.net'],
  },
  godaddy: {
    own: ['ns01.domaincontrol.com', 'ns02.domaincontrol.com'],
    similar: ['ns01.domaincontrol.com.evil.test', 'ns01.notdomaincontrol.com'],
  },
  google_cloud_dns: {
    own: ['ns-cloud-a1.googledomains.com', 'ns-cloud-e4.googledomains.com'],
    similar: ['ns-cloud-a1.googledomains.com.evil.test', 'ns-cloud-f1.googledomains.com'],
  },
  hetzner: {
    own: ['helium.ns.hetzner.de', 'hydrogen.ns.hetzner.com', 'oxygen.ns.hetzner.com'],
    similar: ['helium.ns.hetzner.de.evil.test', 'xns.hetzner.com', 'www.hetzner.com'],
  },
  ionos: {
    own: ['ns1045.ui-dns.com', 'ns1045.ui-dns.de', 'ns1045.ui-dns.org', 'ns1045.ui-dns.biz'],
    similar: ['ns1045.ui-dns.com.evil.test', 'ns-ic.ui-dns.com', 'www.ionos.com'],
  },
  linode: {
    own: ['ns1.linode.com', 'ns2.linode.com', 'ns3.linode.com', 'ns4.linode.com', 'ns5.linode.com'],
    similar: ['ns1.linode.com.evil.test', 'ns6.linode.com', 'www.linode.com'],
  },
  namecheap: {
    own: ['dns1.registrar-servers.com', 'dns2.registrar-servers.com'],
    similar: ['dns1.registrar-servers.com.evil.test', 'freedns1.registrar-servers.com'],
  },
  namecom: {
    own: ['ns1abc.name.com', 'ns4wxyz.name.com'],
    similar: ['ns1abc.name.com.evil.test', 'ns5abc.name.com', 'www.name.com'],
  },
  netlify: {
    own: ['dns1.p05.nsone.net', 'dns4.p05.nsone.net'],
    similar: ['dns1.p05.nsone.net.evil.test', 'dns5.p05.nsone.net'],
  },
  ns1: {
    own: ['dns1.p05.nsone.net', 'dns4.p05.nsone.net'],
    similar: ['dns1.p05.nsone.net.evil.test', 'dns5.p05.nsone.net'],
  },
  ovh: {
    own: ['dns10.ovh.net', 'ns10.ovh.net', 'dns200.anycast.me', 'ns200.anycast.me'],
    similar: ['dns10.ovh.net.evil.test', 'dns10.notovh.net'],
  },
  porkbun: {
    own: ['curitiba.ns.porkbun.com', 'fortaleza.ns.porkbun.com', 'maceio.ns.porkbun.com', 'salvador.ns.porkbun.com'],
    similar: ['curitiba.ns.porkbun.com.evil.test', 'www.porkbun.com'],
  },
  route53: {
    own: ['ns-2048.awsdns-64.com', 'ns-2049.awsdns-65.net', 'ns-2050.awsdns-66.org', 'ns-512.awsdns-00.co.uk'],
    similar: ['xns-1.awsdns-01.com', 'ns-1.awsdns-01.com.evil.test'],
  },
  scaleway: {
    own: ['ns0.dom.scw.cloud', 'ns1.dom.scw.cloud'],
    similar: ['ns0.dom.scw.cloud.evil.test', 'ns0.notdom.scw.cloud', 'www.dom.scw.cloud'],
  },
  vercel: {
    own: ['ns1.vercel-dns.com', 'ns2.vercel-dns.com'],
    similar: ['ns1.vercel-dns.com.evil.test', 'ns1.notvercel-dns.com'],
  },
  vultr: {
    own: ['ns1.vultr.com', 'ns2.vultr.com'],
    similar: ['ns1.vultr.com.evil.test', 'ns3.vultr.com', 'www.vultr.com'],
  },
};
