import type { Capabilities } from '../descriptor.ts';

/** What a zone can do at a provider that has every type of ours but an alias at the apex. */
export const WITHOUT_APEX_ALIAS = {
  record_types: ['A', 'AAAA', 'CNAME', 'TXT', 'MX', 'CAA', 'NS', 'SRV'],
  apex_alias: 'none',
  cname_flattening: false,
  wildcard: true,
  caa: true,
  multi_txt: true,
  ns_delegation: true,
} as const satisfies Capabilities;
