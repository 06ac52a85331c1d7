import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'porkbun',
  name: 'Porkbun',
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_key',
        label: 'API key',
        secret: true,
        required: true,
        help: 'Begins with pk1_. API access must also be switched on for the domain itself.',
      },
      {
        name: 'secret_api_key',
        label: 'Secret API key',
        secret: true,
        required: true,
        help: 'Begins with sk1_ and is shown once, together with the API key.',
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
    // As its support tells: about 60 a minute, and up to 5 a second for a moment.
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
    'API access must be switched on for each domain in its settings, beside making the keys.',
    'The keys are for the whole account: they reach every domain for which API access is on.',
    'The lowest TTL is 600 seconds; a record with a lower one that is put back has 600.',
    'A new domain is parked: an ALIAS at the domain and a CNAME at * lead to pixie.porkbun.com and must go first.',
    'Names that Porkbun forwards to a URL are not written to; remove the forwarding first.',
    'The account is limited to about 60 requests a minute, for all programs together.',
    'Two programs that write to one name at the same moment can leave more than either meant to.',
  ],
  base_url: 'https://api.porkbun.com/api/json/v3',
} as const satisfies Descriptor;
