import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'dnsimple',
  name: PROVIDER_NAMES.dnsimple,
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_token',
        label: 'API token',
        secret: true,
        required: true,
        help: 'An API token of the account that owns the zone. If your plan has scoped tokens, limit it to that zone.',
      },
      {
        name: 'account_id',
        label: 'Account ID',
        secret: false,
        required: false,
        help: 'The number in the URL of your DNSimple pages. Required only if the token may not list its accounts.',
      },
    ],
  },
  capabilities: WITH_APEX_ALIAS,
  limits: {
    ttl: { min: 60, max: 2_147_483_647 },
    txt_bytes: 900,
    refuses: [
      { type: 'TXT', matching: '^$', because: 'is empty, which DNSimple does not store.' },
      { type: 'TXT', matching: ' $', because: 'ends in a space, which DNSimple does not store.' },
      {
        type: 'TXT',
        matching: '^[^"]*"(?:[^"]*"[^"]*")*[^"]*$',
        because: 'contains an odd number of quotation marks, which DNSimple does not store.',
      },
    ],
    set_values: 1_000,
    atomic: false,
    concurrency: 'single_values',
    requests: [{ count: 2_400, seconds: 3_600 }],
  },
  nameserver_patterns: [String.raw`(^|\.)dnsimple\.com$`, String.raw`(^|\.)dnsimple-edge\.(com|net|org)$`],
  domain_connect: false,
  control_panel_url: 'https://dnsimple.com/dashboard',
  panel: { path: ['DNS', 'Manage', 'Add record'], save: 'Add record', apex_host: 'blank' },
  limitations: [
    'A TXT value can have about 900 bytes. It must not end in a space or contain an unpaired quotation mark.',
    'We do not recognise vanity name servers. If you use them, choose DNSimple yourself.',
    'The minimum TTL is one minute.',
    'If your plan has no scoped tokens, a token covers the whole account.',
    'We never change inactive zones, secondary zones or records that DNSimple manages itself.',
    'All programs that use an account share 2400 calls an hour.',
  ],
  base_url: 'https://api.dnsimple.com/v2',
} as const satisfies Descriptor;
