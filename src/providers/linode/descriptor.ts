import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'linode',
  name: PROVIDER_NAMES.linode,
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_token',
        label: 'Personal access token',
        secret: true,
        required: true,
        help: 'A token with Read/Write access to Domains and no other access.',
      },
    ],
  },
  capabilities: WITHOUT_APEX_ALIAS,
  limits: {
    ttl: {
      min: 30,
      max: 2_419_200,
      steps: [
        30, 120, 300, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400, 172_800, 345_600, 604_800, 1_209_600, 2_419_200,
      ],
    },
    txt_bytes: 2_048,
    refuses: [
      { type: 'TXT', matching: '^$', because: 'is empty, which Linode does not store.' },
      { type: 'CAA', matching: '^(?!0 )', because: 'has flags, which Linode cannot store.' },
      { type: 'CAA', matching: '".*\\s.*"', because: 'contains a space, which Linode cannot store.' },
    ],
    set_values: 1_000,
    atomic: false,
    concurrency: 'zone_lock',
    requests: [
      { count: 1_600, seconds: 60 },
      { count: 200, seconds: 60, counts: 'reads' },
    ],
  },
  nameserver_patterns: [String.raw`^ns[1-5]\.linode\.com$`],
  domain_connect: false,
  control_panel_url: 'https://cloud.linode.com/domains',
  panel: { path: ['Domains'], save: 'Save', apex_host: 'blank' },
  limitations: [
    'Linode rebuilds its zones every few minutes, so a change can take up to 15 minutes to appear.',
    'Linode has no ALIAS at the apex, so the domain itself needs A and AAAA records.',
    'A TTL must be one of fourteen steps from 30 seconds up. We raise other values to the next step.',
    'CAA records have no flags and no parameters.',
    'A token covers every domain of the account, and expires on the day that you choose.',
  ],
  base_url: 'https://api.linode.com/v4',
} as const satisfies Descriptor;
