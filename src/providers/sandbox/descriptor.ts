import { TTL_MAX, TTL_MIN } from '../../domain/record.ts';
import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';

export const descriptor = {
  slug: 'sandbox',
  name: PROVIDER_NAMES.sandbox,
  category: 'additional',
  test_only: true,
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'zone',
        label: 'Zone',
        secret: false,
        required: true,
        help: 'The name under .test whose records we may write, such as customer.test. It includes all names below it.',
      },
    ],
  },
  capabilities: {
    record_types: ['A', 'AAAA', 'CNAME', 'ALIAS', 'TXT', 'MX', 'CAA', 'SRV'],
    apex_alias: 'native',
    cname_flattening: true,
    wildcard: true,
    caa: true,
    multi_txt: true,
    ns_delegation: false,
  },
  limits: {
    ttl: { min: TTL_MIN, max: TTL_MAX },
    txt_bytes: 2_000,
    set_values: 1_000,
    atomic: true,
    concurrency: 'compare_and_swap',
    requests: [],
  },
  nameserver_patterns: [String.raw`^ns\.sandbox\.test$`],
  domain_connect: false,
  control_panel_url: null,
  panel: { path: [], save: null, apex_host: 'full_name' },
  limitations: [
    'For test applications and names under .test only. The public DNS never contains these records.',
    'A name has each value only once, so the same target cannot have two priorities.',
    'Names under drift.test keep their records in the zone but hide them from DNS, so writing them again does not help.',
  ],
  base_url: null,
} as const satisfies Descriptor;
