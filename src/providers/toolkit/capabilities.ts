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

/** The same with a type of its own that acts like a CNAME at the apex. */
export const WITH_APEX_ALIAS = {
  ...WITHOUT_APEX_ALIAS,
  record_types: ['A', 'AAAA', 'CNAME', 'ALIAS', 'TXT', 'MX', 'CAA', 'NS', 'SRV'],
  apex_alias: 'native',
} as const satisfies Capabilities;
