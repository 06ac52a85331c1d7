import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'namecom',
  name: 'name.com',
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'username',
        label: 'User name',
        secret: false,
        required: true,
        help: 'The name that is shown beside the token under API Settings.',
      },
      {
        name: 'api_token',
        label: 'API token',
        secret: true,
        required: true,
        help: 'A production token of the account. An account with two-step verification must allow API access in its security settings.',
      },
    ],
  },
  capabilities: {
    ...WITH_APEX_ALIAS,
    record_types: ['A', 'AAAA', 'CNAME', 'ALIAS', 'TXT', 'MX', 'NS', 'SRV'],
    caa: false,
  },
  limits: {
    ttl: { min: 300, max: 86_400 },
    // 512 with the quotes around each part of at most 255 bytes.
    txt_bytes: 507,
    refuses: [
      { type: 'TXT', matching: '^$', because: 'is empty, which name.com does not store.' },
      { type: 'TXT', matching: '"', because: 'holds a quotation mark, which name.com does not store.' },
      { type: 'TXT', matching: ' $', because: 'ends in a space, which name.com does not store.' },
    ],
    set_values: 1_000,
    atomic: false,
    concurrency: 'zone_lock',
    requests: [
      { count: 20, seconds: 1 },
      { count: 3_000, seconds: 3_600 },
    ],
  },
  nameserver_patterns: [String.raw`^ns[1-4][a-z]{3,4}\.name\.com$`],
  domain_connect: false,
  control_panel_url: 'https://www.name.com/account/domain',
  panel: { path: ['My Domains', 'Manage DNS Records'], save: 'Add Record', apex_host: '@', alias_type: 'ANAME' },
  limitations: [
    'There are no CAA records: which authorities may issue certificates cannot be restricted there.',
    'Text is stored up to 507 bytes, without quotation marks and without a space at its end.',
    'The lowest TTL is 300 seconds.',
    'The account is limited to 20 requests a second and 3,000 an hour, for all programs together.',
    'The token is for the whole account: it reaches every domain in it.',
    'An account with two-step verification refuses the API until its security settings allow it.',
    'A domain that has expired or uses the name servers of others is refused.',
  ],
  base_url: 'https://api.name.com/core/v1',
} as const satisfies Descriptor;
