import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'hetzner',
  name: PROVIDER_NAMES.hetzner,
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_token',
        label: 'API token',
        secret: true,
        required: true,
        help: 'A token of the Hetzner Console with Read & Write permission, from the project that contains the zone.',
      },
    ],
  },
  capabilities: WITHOUT_APEX_ALIAS,
  limits: {
    ttl: { min: 60, max: 2_147_483_647 },
    txt_bytes: 2_048,
    set_values: 500,
    atomic: false,
    concurrency: 'single_values',
    requests: [{ count: 3_600, seconds: 3_600 }],
  },
  nameserver_patterns: [
    String.raw`(^|\.)ns\.hetzner\.(com|de)$`,
    String.raw`(^|\.)(first-ns\.de|second-ns\.(de|com))$`,
  ],
  domain_connect: false,
  control_panel_url: 'https://console.hetzner.com/projects',
  panel: {
    path: ['DNS', 'Records', 'Add record'],
    save: 'Add record',
    apex_host: '@',
    trailing_dot: true,
    quotes: true,
  },
  limitations: [
    'If the owner changes a CNAME at the very moment at which we replace it, the change of the owner is lost.',
    'Hetzner has no ALIAS at the apex, so the domain itself needs A and AAAA records.',
    'The minimum TTL is one minute.',
    'A token covers everything in its project, not only DNS. Keep the zones in a separate project.',
    'Move zones from the old DNS Console (dns.hetzner.com) to the Hetzner Console first.',
    'The name servers first-ns.de and second-ns.de also serve other Hetzner products, which this API does not reach.',
    'We never change secondary zones or protected record sets.',
  ],
  base_url: 'https://api.hetzner.cloud/v1',
} as const satisfies Descriptor;
