import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'gandi',
  name: 'Gandi',
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'personal_access_token',
        label: 'Personal access token',
        secret: true,
        required: true,
        help: 'A token of the organisation that holds the domain, with the permission "Manage domain name technical configurations".',
      },
      {
        name: 'sharing_id',
        label: 'Organisation id',
        secret: false,
        required: false,
        help: 'Only if the token covers several organisations: the id of the one that holds the domain.',
      },
    ],
  },
  capabilities: WITH_APEX_ALIAS,
  limits: {
    ttl: { min: 300, max: 2_592_000 },
    txt_bytes: 2_048,
    set_values: 1_000,
    atomic: false,
    concurrency: 'zone_lock',
    requests: [{ count: 1_000, seconds: 60 }],
  },
  nameserver_patterns: [String.raw`^ns-\d+-[abc]\.gandi\.net$`],
  domain_connect: false,
  control_panel_url: 'https://admin.gandi.net/domain',
  panel: { path: ['Domain', 'DNS Records', 'Add record'], save: 'Create', apex_host: '@', trailing_dot: true },
  limitations: [
    'Personal access tokens expire, after a year at the latest; a new one has to be given to us before that.',
    'The API has no way to compare before it writes: other programs that edit the same record set at the same moment can lose a value.',
    'An ALIAS at the apex cannot be used in a zone that is signed with DNSSEC.',
    'A TTL is at least five minutes.',
    'A zone with more than 5000 record sets is too large to be read here.',
    'A domain that does not use the LiveDNS name servers (ns-…-a.gandi.net) can be edited here, but the changes are not served.',
  ],
  base_url: 'https://api.gandi.net/v5/livedns',
} as const satisfies Descriptor;
