import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'ionos',
  name: PROVIDER_NAMES.ionos,
  category: 'additional',
  setup_types: ['automatic', 'semiautomatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_key',
        label: 'API key',
        secret: true,
        required: true,
        help: 'The public prefix and the secret of a key, joined by a dot: prefix.secret.',
      },
    ],
  },
  capabilities: WITHOUT_APEX_ALIAS,
  limits: {
    ttl: { min: 60, max: 86_400 },
    txt_bytes: 2_048,
    set_values: 1_000,
    atomic: false,
    concurrency: 'zone_lock',
    // IONOS documents no limit. This one is well below those of other providers.
    requests: [{ count: 5, seconds: 1 }],
  },
  nameserver_patterns: [
    String.raw`^ns\d+\.ui-dns\.(com|de|org|biz)$`,
    String.raw`^ns\d*(-\d+)?\.(1and1|ionos)\.(com|de|co\.uk|fr|es|it)$`,
  ],
  domain_connect: true,
  control_panel_url: 'https://my.ionos.com/domains',
  panel: { path: ['Domains & SSL', 'DNS', 'Add record'], save: 'Save', apex_host: '@' },
  limitations: [
    'IONOS has no ALIAS at the apex, so the domain itself needs A and AAAA records.',
    'If a new record conflicts with a service of IONOS, such as its mail or website, IONOS deactivates the records of that service.',
    'Two programs that write the same value at the same time can create a duplicate.',
    'An API key covers every domain of the contract.',
    'IONOS Cloud DNS is another product with another API. This adapter does not reach its zones.',
  ],
  base_url: 'https://api.hosting.ionos.com/dns/v1',
} as const satisfies Descriptor;
