import type { FindingCode } from '../domain/observation/finding.ts';
import type { PanelStep } from '../domain/connection/panel.ts';
import type { RecordStatus } from '../domain/observation/record-status.ts';
import type { Params, WordKey } from './words.ts';

/** What a finding is to the customer. Left out: what is no news, and what is the tenant's concern alone. */
const BY_CODE: Partial<Record<FindingCode, WordKey>> = {
  wrong_value: 'findingWrong',
  missing: 'findingMissing',
  extra_values: 'findingExtra',
  doubled_host: 'findingDoubled',
  challenge_at_bare_host: 'findingBare',
  challenge_is_cname: 'findingAlias',
  quoted_value: 'findingQuoted',
  proxied: 'findingProxied',
  stale_aaaa: 'findingAaaa',
  cname_conflict: 'findingConflict',
  record_conflict: 'findingConflict',
  ns_inconsistent: 'findingServers',
  cached_until: 'findingCached',
  caa_blocked: 'findingCaa',
  dnssec_bogus: 'findingDnssec',
  nameserver_changed: 'findingMoved',
  nameserver_unreachable: 'findingSilent',
  hostname_conflict: 'findingHeld',
};

/** Told in the provider's, the authority's or the operator's own words, which are not for the customer. */
const WITHOUT_VALUES: Partial<Record<FindingCode, WordKey>> = {
  credential_invalid: 'findingWrite',
  domain_connect_refused: 'findingWrite',
  credential_missing_zone: 'findingWrite',
  dns_write_failed: 'findingWrite',
  record_conflict: 'findingWrite',
  cert_failed: 'findingCertificate',
  ca_rate_limited: 'findingCertificate',
  edge_unreachable: 'findingCertificate',
  caa_blocked: 'findingCertificate',
  dnssec_bogus: 'findingCertificate',
};

export interface LocalizedFinding {
  code: string;
  params: Params | null;
  record?: unknown;
}

/** The words for a finding, to be filled with its params; none where it says nothing to the customer. */
export function findingWords({ code, params, record }: LocalizedFinding): WordKey | undefined {
  const known = code as FindingCode;
  if (params === null) return WITHOUT_VALUES[known];
  // The same code for the zone as such, where no record is at fault.
  if (record === undefined && known === 'missing') return 'unregistered';
  if (record === undefined && known === 'ns_inconsistent') return 'findingDelegation';
  return BY_CODE[known];
}

/** `unregistered` speaks of a domain, the finding of a host name. */
export const findingParams = ({ params }: LocalizedFinding): Params => ({
  ...params,
  ...(params?.['hostname'] === undefined ? {} : { domain: params['hostname'] }),
});

export const STATUS_WORDS: Readonly<Record<RecordStatus, WordKey>> = {
  unchecked: 'statusUnchecked',
  missing: 'statusMissing',
  wrong: 'statusWrong',
  conflict: 'statusConflict',
  spreading: 'statusSpreading',
  found: 'statusFound',
};

export const STEP_WORDS: Readonly<Record<PanelStep['code'], WordKey>> = {
  sign_in: 'stepSignIn',
  open: 'stepOpen',
  add: 'stepAdd',
  blank_host: 'stepBlank',
  proxy_off: 'stepProxy',
  save: 'stepSave',
};
