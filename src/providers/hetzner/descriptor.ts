import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'hetzner',
  name: 'Hetzner',
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_token',
        label: 'API token',
        secret: true,
        required: true,
        help: 'A token of the Hetzner Console with Read & Write permission, of the project that holds the zone.',
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
    'A CNAME that its owner points elsewhere in the very moment in which we replace it is lost.',
    'There is no ALIAS at the apex: the domain itself needs A and AAAA records.',
    'A TTL is at least a minute.',
    'A token covers everything in its project, not only DNS: keep the zones in a project of their own.',
    'Zones of the old DNS Console (dns.hetzner.com) have to be moved to the Hetzner Console first.',
    'The name servers first-ns.de and second-ns.de are also used by other products of Hetzner, which are not reached here.',
    'Secondary zones and protected record sets are never changed.',
  ],
  base_url: 'https://api.hetzner.cloud/v1',
} as const satisfies Descriptor;
