import type { Capabilities } from '../descriptor.ts';

/** Capabilities of a provider that supports all our record types except an alias at the apex. */
export const WITHOUT_APEX_ALIAS = {
  record_types: ['A', 'AAAA', 'CNAME', 'TXT', 'MX', 'CAA', 'NS', 'SRV'],
  apex_alias: 'none',
  cname_flattening: false,
  wildcard: true,
  caa: true,
  multi_txt: true,
  ns_delegation: true,
} as const satisfies Capabilities;

/** Capabilities of a provider that supports all our record types and has its own type for an alias at the apex. */
export const WITH_APEX_ALIAS = {
  ...WITHOUT_APEX_ALIAS,
  record_types: ['A', 'AAAA', 'CNAME', 'ALIAS', 'TXT', 'MX', 'CAA', 'NS', 'SRV'],
  apex_alias: 'native',
} as const satisfies Capabilities;
