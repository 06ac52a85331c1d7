import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'desec',
  name: PROVIDER_NAMES.desec,
  category: 'additional',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_token',
        label: 'Token',
        secret: true,
        required: true,
        help: 'A token whose policies allow writing the records of the domains that you connect, and nothing else.',
      },
    ],
  },
  capabilities: WITHOUT_APEX_ALIAS,
  limits: {
    // Each domain has its own minimum. deSEC lowers it on request.
    ttl: { min: 3_600, max: 86_400 },
    txt_bytes: 4_096,
    set_values: 1_000,
    atomic: true,
    concurrency: 'zone_lock',
    requests: [
      { count: 2_000, seconds: 86_400 },
      { count: 50, seconds: 60, counts: 'reads' },
      { count: 10, seconds: 1, counts: 'reads' },
      { count: 300, seconds: 86_400, counts: 'writes', per: 'zone' },
      { count: 100, seconds: 3_600, counts: 'writes', per: 'zone' },
      { count: 15, seconds: 60, counts: 'writes', per: 'zone' },
      { count: 2, seconds: 1, counts: 'writes', per: 'zone' },
    ],
  },
  nameserver_patterns: [String.raw`^ns\d\.desec\.(io|org)$`],
  domain_connect: false,
  control_panel_url: 'https://desec.io/domains',
  panel: { path: ['Domain Management', '+'], save: 'Save', apex_host: 'blank', trailing_dot: true, quotes: true },
  limitations: [
    'deSEC has no ALIAS at the apex, so the domain itself needs A and AAAA records.',
    'The minimum TTL is one hour, so resolvers can keep an old record for an hour after a change.',
    'deSEC accepts 15 changes of a domain in a minute, 100 in an hour and 300 in a day.',
    'The API replaces whole record sets and cannot compare before a write. If another program edits the same set at the same time, a value can be lost.',
    'A token can expire, and can be limited to addresses. That list must contain the addresses of this service.',
  ],
  base_url: 'https://desec.io/api/v1',
} as const satisfies Descriptor;
