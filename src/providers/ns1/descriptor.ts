import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'ns1',
  name: PROVIDER_NAMES.ns1,
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_key',
        label: 'API key',
        secret: true,
        required: true,
        help: 'A key with permission to view and manage zones, limited to the zones that you connect.',
      },
    ],
  },
  capabilities: WITH_APEX_ALIAS,
  limits: {
    ttl: { min: 1, max: 2_147_483_647 },
    txt_bytes: 4_000,
    refuses: [{ type: 'TXT', matching: '^$', because: 'is empty, which NS1 does not store.' }],
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
    'The API replaces whole record sets and cannot compare before a write. If another program edits the same set at the same time, a value can be lost.',
    'We never change linked records, or records with filters or regional answers.',
    'We cannot change linked zones and secondary zones.',
    'If you limit the key to IP addresses, include the addresses of this service.',
    'Netlify uses the same name servers. Connect a domain that is set up at Netlify through Netlify.',
  ],
  base_url: 'https://api.nsone.net/v1',
} as const satisfies Descriptor;
