import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'vercel',
  name: PROVIDER_NAMES.vercel,
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_token',
        label: 'API token',
        secret: true,
        required: true,
        help: 'A token without expiration whose scope is the team that owns the domain.',
      },
      {
        name: 'team_id',
        label: 'Team',
        secret: false,
        required: false,
        help: 'The team’s ID (team_…) or its slug. Leave empty for domains of a personal account.',
      },
    ],
  },
  capabilities: WITH_APEX_ALIAS,
  limits: {
    ttl: { min: 60, max: 2_147_483_647 },
    txt_bytes: 2_000,
    refuses: [
      { type: 'TXT', matching: '^$', because: 'is empty, which Vercel does not store.' },
      { type: 'CAA', matching: '"[^"]*[;\\s]', because: 'has parameters or no issuer, which Vercel does not store.' },
    ],
    set_values: 1_000,
    atomic: false,
    concurrency: 'zone_lock',
    requests: [
      { count: 50, seconds: 60, counts: 'reads' },
      { count: 100, seconds: 3_600, counts: 'writes' },
    ],
  },
  nameserver_patterns: [String.raw`(^|\.)vercel-dns\.com$`],
  domain_connect: true,
  control_panel_url: 'https://vercel.com/dashboard/domains',
  panel: { path: ['Domains', 'DNS Records'], save: 'Add', apex_host: '@' },
  limitations: [
    'Vercel lets an account create 100 records an hour. Further setups wait.',
    'A token stops working when it expires, so choose no expiration. In its team it can do everything that its user can do.',
    'We neither show nor change Vercel’s own records. A record of the same name and type replaces them.',
    'CAA records have no parameters.',
    'Two programs that write the same value at the same time can create a duplicate.',
  ],
  base_url: 'https://api.vercel.com',
} as const satisfies Descriptor;
