import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'godaddy',
  name: 'GoDaddy',
  category: 'token',
  setup_types: ['automatic', 'semiautomatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'personal_access_token',
        label: 'Personal access token',
        secret: true,
        required: true,
        help: 'Begins with gd_pat_. It needs the scopes domains.domain:read and domains.dns:update. A classic API key with its secret is not accepted.',
      },
    ],
  },
  capabilities: {
    ...WITH_APEX_ALIAS,
    record_types: ['A', 'AAAA', 'CNAME', 'ALIAS', 'TXT', 'MX', 'CAA', 'SRV'],
    ns_delegation: false,
  },
  limits: {
    ttl: { min: 600, max: 86_400 },
    txt_bytes: 512,
    refuses: [{ type: 'TXT', matching: '^$', because: 'is empty, which GoDaddy does not store.' }],
    set_values: 1_000,
    atomic: false,
    concurrency: 'zone_lock',
    requests: [
      { count: 60, seconds: 60 },
      { count: 20_000, seconds: 2_592_000 },
    ],
  },
  nameserver_patterns: [String.raw`(^|\.)domaincontrol\.com$`],
  domain_connect: true,
  control_panel_url: 'https://dcc.godaddy.com/control/portfolio',
  panel: { path: ['Domain Portfolio', 'DNS', 'Add New Record'], save: 'Save', apex_host: '@' },
  limitations: [
    'A personal access token expires on the day that was chosen when it was made; replace it before.',
    'GoDaddy’s terms allow a token to be used only for domains that its owner controls. Domain Connect is the way that GoDaddy itself offers to services like this one.',
    'Accounts without an active domain, and some older ones with fewer than ten, are refused by the API.',
    'The account is limited to about 60 requests a minute and 20,000 a month, for all programs together.',
    'The lowest TTL is 600 seconds, and text is stored up to 512 bytes.',
    'Name server records cannot be written, so no part of the domain can be delegated.',
    'With Domain Protection switched on, GoDaddy accepts a record and does not store it; switch it off while records are set.',
    'Wildcards are documented for A, AAAA and CNAME only.',
  ],
  base_url: 'https://api.godaddy.com',
} as const satisfies Descriptor;
