import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'bunny',
  name: PROVIDER_NAMES.bunny,
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'access_key',
        label: 'API key',
        secret: true,
        required: true,
        help: 'The API key of the account, under Account settings. It gives access to the whole account.',
      },
    ],
  },
  capabilities: { ...WITH_APEX_ALIAS, apex_alias: 'flattening', cname_flattening: true },
  limits: {
    ttl: { min: 60, max: 86_400 },
    txt_bytes: 2_048,
    refuses: [{ type: 'TXT', matching: '^$', because: 'is empty, which bunny.net does not store.' }],
    set_values: 1_000,
    atomic: false,
    concurrency: 'zone_lock',
    // bunny.net documents no limit. This one is well below those of other providers.
    requests: [{ count: 10, seconds: 1 }],
  },
  nameserver_patterns: [String.raw`(^|\.)bunny\.net$`],
  domain_connect: false,
  control_panel_url: 'https://dash.bunny.net/dns',
  panel: { path: ['DNS', 'Add record'], save: 'Add record', apex_host: 'blank' },
  limitations: [
    'The API key gives access to the whole account and cannot be limited to DNS.',
    'We never replace records that bunny.net’s own network handles (accelerated records, pull zones, scripts, redirects).',
    'If a name belongs to a pull zone, a script or a redirect, remove that in the panel first.',
    'Two programs that write the same value at the same time create a duplicate.',
    'Disabled records are left unchanged and count as absent.',
    'We can write to zones with custom name servers, but we cannot recognise them as bunny.net zones.',
  ],
  base_url: 'https://api.bunny.net',
} as const satisfies Descriptor;
