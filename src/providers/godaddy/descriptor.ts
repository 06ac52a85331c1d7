import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'godaddy',
  name: PROVIDER_NAMES.godaddy,
  category: 'token',
  setup_types: ['automatic', 'semiautomatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'personal_access_token',
        label: 'Personal access token',
        secret: true,
        required: true,
        help: 'A token that begins with gd_pat_ and has the scopes domains.domain:read and domains.dns:update. Classic API keys with a secret are not accepted.',
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
    'A personal access token expires on the day that you choose. Replace it before that day.',
    'GoDaddy’s terms allow a token to be used only for domains that its owner controls. For services like this one, GoDaddy offers Domain Connect.',
    'The API refuses accounts without an active domain, and some older accounts with fewer than ten domains.',
    'All programs that use an account share about 60 requests a minute and 20,000 a month.',
    'The minimum TTL is 600 seconds, and a TXT value can have at most 512 bytes.',
    'We cannot write NS records, so no part of the domain can be delegated.',
    'With Domain Protection on, GoDaddy accepts records but does not store them. Turn it off while we write records.',
    'GoDaddy documents wildcards for A, AAAA and CNAME only.',
  ],
  base_url: 'https://api.godaddy.com',
} as const satisfies Descriptor;
