import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'bunny',
  name: 'bunny.net',
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'access_key',
        label: 'API key',
        secret: true,
        required: true,
        help: 'The API key of the account, found under Account settings. It reaches everything in the account.',
      },
    ],
  },
  capabilities: {
    ...WITH_APEX_ALIAS,
    apex_alias: 'flattening',
    cname_flattening: true,
  },
  limits: {
    ttl: { min: 60, max: 86_400 },
    txt_bytes: 2_048,
    refuses: [{ type: 'TXT', matching: '^$', because: 'is empty, which bunny.net does not store.' }],
    set_values: 1_000,
    atomic: false,
    concurrency: 'zone_lock',
    // bunny.net states no limit; this stays well below what others have.
    requests: [{ count: 10, seconds: 1 }],
  },
  nameserver_patterns: [String.raw`(^|\.)bunny\.net$`],
  domain_connect: false,
  control_panel_url: 'https://dash.bunny.net/dns',
  panel: { path: ['DNS', 'Add record'], save: 'Add record', apex_host: 'blank' },
  limitations: [
    'The API key is for the whole account, with everything in it, and cannot be limited to DNS.',
    'Records that bunny.net’s own network speeds up (accelerated, pull zones, scripts, redirects) are not replaced.',
    'A name that a pull zone, a script or a redirect answers for must be freed in the panel first.',
    'Two programs that write the same value at the same moment leave it twice.',
    'Records that are switched off stay as they are and count as absent.',
    'Zones with name servers of the customer’s own names are written to, but not recognised by their name servers.',
  ],
  base_url: 'https://api.bunny.net',
} as const satisfies Descriptor;
