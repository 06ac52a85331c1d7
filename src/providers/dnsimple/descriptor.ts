import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'dnsimple',
  name: 'DNSimple',
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_token',
        label: 'API token',
        secret: true,
        required: true,
        help: 'An API token of the account that holds the zone; one that is limited to that zone if the plan has such tokens.',
      },
      {
        name: 'account_id',
        label: 'Account ID',
        secret: false,
        required: false,
        help: 'The number in the address of your DNSimple pages. Only if the token may not list its accounts.',
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
        because: 'holds an odd number of quotation marks, which DNSimple does not store.',
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
    'Text is stored up to about 900 bytes, without a space at its end and without a quotation mark that has no partner.',
    'Name servers with names of your own (vanity name servers) are not recognised; choose DNSimple yourself then.',
    'A TTL is at least a minute.',
    'Where the plan has no scoped tokens, a token covers everything in the account.',
    'Zones that are switched off, secondary zones and records that DNSimple keeps itself are never changed.',
    'All programs of an account share 2400 calls an hour.',
  ],
  base_url: 'https://api.dnsimple.com/v2',
} as const satisfies Descriptor;
