import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'vultr',
  name: PROVIDER_NAMES.vultr,
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_key',
        label: 'API key',
        secret: true,
        required: true,
        help: 'The key of the account. Its access control list must allow the addresses from which this service calls.',
      },
    ],
  },
  capabilities: WITHOUT_APEX_ALIAS,
  limits: {
    ttl: { min: 120, max: 604_800 },
    txt_bytes: 2_048,
    refuses: [
      { type: 'TXT', matching: '"', because: 'contains a quotation mark, which Vultr does not store.' },
      { type: 'CAA', matching: '"[^"]*\\s', because: 'has a space in its value, which Vultr does not store.' },
    ],
    set_values: 1_000,
    atomic: false,
    concurrency: 'zone_lock',
    requests: [{ count: 20, seconds: 1 }],
  },
  nameserver_patterns: [String.raw`^ns[12]\.vultr\.com$`],
  domain_connect: false,
  control_panel_url: 'https://my.vultr.com/dns/',
  panel: { path: ['Products', 'Network', 'DNS'], save: '+', apex_host: 'blank', quotes: true },
  limitations: [
    'Vultr has no ALIAS at the apex, so the domain itself needs A and AAAA records.',
    'A TXT value cannot contain quotation marks, and a CAA record has no parameters.',
    'The minimum TTL is 120 seconds.',
    'Two programs that write the same value at the same time create a duplicate.',
    'The API key covers the whole account. Its access control list must contain the addresses of this service.',
  ],
  base_url: 'https://api.vultr.com/v2',
} as const satisfies Descriptor;
