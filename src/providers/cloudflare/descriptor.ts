import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'cloudflare',
  name: PROVIDER_NAMES.cloudflare,
  category: 'token',
  setup_types: ['automatic', 'semiautomatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_token',
        label: 'API token',
        secret: true,
        required: true,
        help: 'A token with the permissions Zone / Zone / Read and Zone / DNS / Edit for the zones to connect. Not the Global API Key.',
      },
    ],
  },
  capabilities: { ...WITH_APEX_ALIAS, apex_alias: 'flattening', cname_flattening: true },
  limits: {
    ttl: { min: 60, max: 86_400 },
    txt_bytes: 2_048,
    refuses: [
      { type: 'TXT', matching: '^$', because: 'is empty, which Cloudflare does not store.' },
      { type: 'TXT', matching: ' $', because: 'ends in a space, which Cloudflare does not store.' },
    ],
    set_values: 1_000,
    atomic: true,
    concurrency: 'single_values',
    requests: [{ count: 1_200, seconds: 300 }],
  },
  nameserver_patterns: [String.raw`(^|\.)ns\.cloudflare\.com$`, String.raw`(^|\.)foundationdns\.(com|net|org)$`],
  domain_connect: true,
  control_panel_url: 'https://dash.cloudflare.com/?to=/:account/:zone/dns/records',
  panel: { path: ['DNS', 'Records', 'Add record'], save: 'Save', apex_host: '@', proxy_switch: 'Proxy status' },
  limitations: [
    'We write unproxied records: a proxied record would send visitors to Cloudflare first and prevent certificates.',
    'We do not write to zones that are pending, partial (CNAME setup) or secondary.',
    'The minimum TTL is one minute. A TXT value cannot be empty or end in a space.',
    'A token can expire and can be limited to client IP addresses. That list must contain the addresses of this service.',
    'All tokens of a user share 1200 calls in five minutes. Cloudflare refuses every call for the five minutes after that.',
  ],
  base_url: 'https://api.cloudflare.com/client/v4',
} as const satisfies Descriptor;
