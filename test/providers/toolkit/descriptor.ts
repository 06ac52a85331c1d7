import type { Descriptor } from '../../../src/providers/descriptor.ts';

/** A fictitious provider, for tests of shared code. */
export const descriptor = {
  slug: 'anybody',
  name: 'Anybody',
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: { fields: [{ name: 'api_token', label: 'API token', secret: true, required: true, help: 'Any token.' }] },
  capabilities: {
    record_types: ['A', 'AAAA', 'CNAME', 'ALIAS', 'TXT', 'MX', 'CAA', 'NS', 'SRV'],
    apex_alias: 'native',
    cname_flattening: true,
    wildcard: true,
    caa: true,
    multi_txt: true,
    ns_delegation: true,
  },
  limits: {
    ttl: { min: 60, max: 86_400 },
    txt_bytes: 2_048,
    set_values: 100,
    atomic: true,
    concurrency: 'single_values',
    requests: [],
  },
  nameserver_patterns: [],
  domain_connect: false,
  control_panel_url: null,
  panel: { path: [], save: null, apex_host: '@' },
  limitations: [],
  base_url: 'https://dns.example.test',
} as const satisfies Descriptor;
