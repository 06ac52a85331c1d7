import { join } from 'node:path';
import { azureDns } from './azure_dns/adapter.ts';
import { bunny } from './bunny/adapter.ts';
import { cloudflare } from './cloudflare/adapter.ts';
import type { Provider } from './contract.ts';
import type { Descriptor } from './descriptor.ts';
import { desec } from './desec/adapter.ts';
import { digitalocean } from './digitalocean/adapter.ts';
import { dnsimple } from './dnsimple/adapter.ts';
import { gandi } from './gandi/adapter.ts';
import { godaddy } from './godaddy/adapter.ts';
import { googleCloudDns } from './google_cloud_dns/adapter.ts';
import { hetzner } from './hetzner/adapter.ts';
import { ionos } from './ionos/adapter.ts';
import { linode } from './linode/adapter.ts';
import { namecheap } from './namecheap/adapter.ts';
import { namecom } from './namecom/adapter.ts';
import { netlify } from './netlify/adapter.ts';
import { ns1 } from './ns1/adapter.ts';
import { ovh } from './ovh/adapter.ts';
import { porkbun } from './porkbun/adapter.ts';
import { powerdns } from './powerdns/adapter.ts';
import { rfc2136 } from './rfc2136/adapter.ts';
import { route53 } from './route53/adapter.ts';
import { sandbox } from './sandbox/adapter.ts';
import { scaleway } from './scaleway/adapter.ts';
import { vercel } from './vercel/adapter.ts';
import { vultr } from './vultr/adapter.ts';

/** Every provider that this service can write to. To add one, add its folder, its test and a line here. */
const PROVIDERS: readonly Provider[] = [
  cloudflare,
  route53,
  googleCloudDns,
  azureDns,
  digitalocean,
  linode,
  vultr,
  hetzner,
  gandi,
  godaddy,
  namecheap,
  namecom,
  porkbun,
  dnsimple,
  ns1,
  ovh,
  vercel,
  netlify,
  bunny,
  desec,
  scaleway,
  ionos,
  powerdns,
  rfc2136,
  sandbox,
];

const bySlug: ReadonlyMap<string, Provider> = new Map(
  PROVIDERS.map((provider) => [provider.descriptor.slug, provider]),
);

export const providerOf = (slug: string): Provider | undefined => bySlug.get(slug);

/** Returns the folder of a provider, which contains the adapter and the instructions for customers. */
export const folderOf = (slug: string): string => join(import.meta.dirname, slug);

export const descriptors = (): readonly Descriptor[] => PROVIDERS.map((provider) => provider.descriptor);
