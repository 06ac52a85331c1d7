import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'ns1',
  name: 'IBM NS1 Connect',
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_key',
        label: 'API key',
        secret: true,
        required: true,
        help: 'A key with the permissions to view and to manage zones, limited to the zones concerned.',
      },
    ],
  },
  capabilities: WITH_APEX_ALIAS,
  limits: {
    ttl: { min: 1, max: 2_147_483_647 },
    txt_bytes: 4_000,
    set_values: 1_000,
    atomic: false,
    concurrency: 'zone_lock',
    requests: [
      { count: 900, seconds: 300, counts: 'reads' },
      { count: 100, seconds: 200, counts: 'writes' },
    ],
  },
  nameserver_patterns: [String.raw`^dns[1-4]\.p\d{2}\.nsone\.net$`],
  domain_connect: false,
  control_panel_url: 'https://my.nsone.net/',
  panel: { path: ['DNS', 'Zones', 'Add record'], save: 'Save', apex_host: 'blank' },
  limitations: [
    'Records are replaced as whole sets and nothing can be compared before: other programs that edit the same set at the same moment can lose a value.',
    'Linked records and records with filters or answers for several regions are never changed.',
    'Linked zones and secondary zones cannot be changed.',
    'If the key is limited to certain addresses, the addresses of this service must be among them.',
    'Netlify uses the same name servers: a domain that was set up there must be connected through Netlify.',
  ],
  base_url: 'https://api.nsone.net/v1',
} as const satisfies Descriptor;
