import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'namecom',
  name: PROVIDER_NAMES.namecom,
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'username',
        label: 'User name',
        secret: false,
        required: true,
        help: 'The user name next to the token under API Settings.',
      },
      {
        name: 'api_token',
        label: 'API token',
        secret: true,
        required: true,
        help: 'A production token of the account. If the account uses two-step verification, allow API access in its security settings.',
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
    // name.com allows 512 bytes, including the quotes around each string of at most 255 bytes, and a space in between.
    txt_bytes: 507,
    refuses: [
      { type: 'TXT', matching: '^$', because: 'is empty, which name.com does not store.' },
      { type: 'TXT', matching: '"', because: 'contains a quotation mark, which name.com does not store.' },
      { type: 'TXT', matching: ' $', because: 'ends in a space, which name.com does not store.' },
    ],
    // Number of values in one record set.
    set_values: 1_000,
    // Each record is a separate request, so our own lock on the zone keeps two writers apart.
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
    'name.com has no CAA records, so you cannot restrict which certificate authorities may issue certificates.',
    'A TXT value can have at most 507 bytes. It must not contain quotation marks or end in a space.',
    'The minimum TTL is 300 seconds.',
    'All programs that use an account share 20 requests a second and 3,000 an hour.',
    'A token covers every domain of the account.',
    'An account with two-step verification refuses API calls until its security settings allow them.',
    'name.com refuses a domain that has expired or uses other name servers.',
  ],
  base_url: 'https://api.name.com/core/v1',
} as const satisfies Descriptor;
