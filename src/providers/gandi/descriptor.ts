import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'gandi',
  name: PROVIDER_NAMES.gandi,
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'personal_access_token',
        label: 'Personal access token',
        secret: true,
        required: true,
        help: 'A token of the organisation that owns the domain, with the permission "Manage domain name technical configurations".',
      },
      {
        name: 'sharing_id',
        label: 'Organisation id',
        secret: false,
        required: false,
        help: 'Required only if the token covers several organisations: the id of the one that owns the domain.',
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
    'Personal access tokens expire after at most one year. Give us a new token before that.',
    'The API cannot compare before a write. If another program edits the same record set at the same time, a value can be lost.',
    'A zone that is signed with DNSSEC cannot have an ALIAS at the apex.',
    'The minimum TTL is five minutes.',
    'We cannot read a zone with more than 5000 record sets.',
    'If a domain does not use the LiveDNS name servers (ns-…-a.gandi.net), Gandi stores changes but does not serve them.',
  ],
  base_url: 'https://api.gandi.net/v5/livedns',
} as const satisfies Descriptor;
