import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'digitalocean',
  name: PROVIDER_NAMES.digitalocean,
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_token',
        label: 'API token',
        secret: true,
        required: true,
        help: 'A personal access token with the scopes domain:read, domain:create, domain:update and domain:delete.',
      },
    ],
  },
  capabilities: WITHOUT_APEX_ALIAS,
  limits: {
    ttl: { min: 30, max: 86_400 },
    txt_bytes: 500,
    refuses: [
      { type: 'TXT', matching: '^$', because: 'is empty, which DigitalOcean does not store.' },
      { type: 'TXT', matching: '\\\\', because: 'contains a backslash, which DigitalOcean does not store.' },
      { type: 'CAA', matching: '"[^"]*\\s', because: 'has a space in its value, which DigitalOcean does not store.' },
    ],
    set_values: 1_000,
    atomic: false,
    concurrency: 'zone_lock',
    requests: [
      { count: 5_000, seconds: 3_600 },
      { count: 250, seconds: 60 },
    ],
  },
  nameserver_patterns: [String.raw`^ns[1-3]\.digitalocean\.com$`],
  domain_connect: false,
  control_panel_url: 'https://cloud.digitalocean.com/networking/domains',
  panel: { path: ['Networking', 'Domains'], save: 'Create Record', apex_host: '@', trailing_dot: true },
  limitations: [
    'DigitalOcean has no ALIAS at the apex, so the domain itself needs A and AAAA records.',
    'A TXT value can have at most 500 bytes and no backslash. CAA records have no parameters.',
    'The minimum TTL is 30 seconds.',
    'A token covers every domain of its team, and expires on the day that you choose.',
    'Two programs that write the same value at the same time create a duplicate.',
  ],
  base_url: 'https://api.digitalocean.com/v2',
} as const satisfies Descriptor;
