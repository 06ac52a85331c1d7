import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'scaleway',
  name: PROVIDER_NAMES.scaleway,
  category: 'additional',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'secret_key',
        label: 'Secret key',
        secret: true,
        required: true,
        help: 'The secret key of an API key whose policy has only the permission set DomainsDNSFullAccess.',
      },
    ],
  },
  capabilities: WITH_APEX_ALIAS,
  limits: {
    ttl: { min: 60, max: 86_400 },
    txt_bytes: 2_048,
    set_values: 1_000,
    atomic: true,
    concurrency: 'zone_lock',
    // Scaleway documents no limit. This one is well below those of other providers.
    requests: [{ count: 10, seconds: 1 }],
  },
  nameserver_patterns: [String.raw`^ns\d\.dom\.scw\.cloud$`],
  domain_connect: false,
  control_panel_url: 'https://console.scaleway.com/domains/internal',
  panel: {
    path: ['Domains and DNS', 'DNS zones', 'Records', 'Add records'],
    save: 'Add records',
    apex_host: 'blank',
    trailing_dot: true,
  },
  limitations: [
    'We never change dynamic records: by country, by weight, by network, or with a health check.',
    'We do not write to zones that are pending, locked or in error.',
    'Two programs that write the same value at the same time can create a duplicate.',
    'An API key expires on the day that you choose. Choose the latest one.',
    'Scaleway documents no request limit. This service sends at most 10 requests a second.',
  ],
  base_url: 'https://api.scaleway.com/domain/v2beta1',
} as const satisfies Descriptor;
