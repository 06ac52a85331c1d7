import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'porkbun',
  name: PROVIDER_NAMES.porkbun,
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_key',
        label: 'API key',
        secret: true,
        required: true,
        help: 'The key that begins with pk1_. You must also turn on API access for the domain.',
      },
      {
        name: 'secret_api_key',
        label: 'Secret API key',
        secret: true,
        required: true,
        help: 'The key that begins with sk1_. Porkbun shows it only once, together with the API key.',
      },
    ],
  },
  capabilities: WITH_APEX_ALIAS,
  limits: {
    ttl: { min: 600, max: 86_400 },
    txt_bytes: 2_048,
    refuses: [
      { type: 'TXT', matching: '^$', because: 'is empty, which Porkbun does not store.' },
      { type: 'TXT', matching: ' $', because: 'ends in a space, which Porkbun does not store.' },
      { type: 'CAA', matching: '"[^"]*\\s', because: 'has a space in its value, which Porkbun does not store.' },
    ],
    set_values: 1_000,
    atomic: false,
    concurrency: 'zone_lock',
    // According to Porkbun's support: about 60 a minute, and short bursts of 5 a second.
    requests: [
      { count: 60, seconds: 60 },
      { count: 5, seconds: 1 },
    ],
  },
  nameserver_patterns: [
    String.raw`(^|\.)ns\.porkbun\.com$`,
    String.raw`^(curitiba|fortaleza|maceio|salvador)\.porkbun\.com$`,
  ],
  domain_connect: false,
  control_panel_url: 'https://porkbun.com/account/domainsSpeedy',
  panel: { path: ['Domain Management', 'DNS'], save: 'Add', apex_host: 'blank' },
  limitations: [
    'In addition to creating the keys, you must turn on API access in the settings of each domain.',
    'The keys cover every domain of the account that has API access turned on.',
    'The minimum TTL is 600 seconds. A record with a lower TTL that we put back gets 600.',
    'A new domain is parked: delete the ALIAS at the domain and the CNAME at * that point to pixie.porkbun.com first.',
    'We do not write to names that Porkbun forwards to a URL. Remove the forwarding first.',
    'All programs that use an account share about 60 requests a minute.',
    'Two programs that write to one name at the same time can leave more records than either intended.',
  ],
  base_url: 'https://api.porkbun.com/api/json/v3',
} as const satisfies Descriptor;
