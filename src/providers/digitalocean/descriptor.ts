import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'digitalocean',
  name: 'DigitalOcean',
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
    refuses: [{ type: 'TXT', matching: '\\\\', because: 'holds a backslash, which DigitalOcean does not store.' }],
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
    'There is no ALIAS at the apex: the domain itself needs A and AAAA records.',
    'Text is stored up to 500 bytes and without backslashes.',
    'A TTL is at least 30 seconds.',
    'A token covers every domain of its team, and ends on the day that was chosen with it.',
    'Two programs that write the same value at the same moment leave it twice.',
  ],
  base_url: 'https://api.digitalocean.com/v2',
} as const satisfies Descriptor;
