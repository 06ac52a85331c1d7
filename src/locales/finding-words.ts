import type { FindingCode } from '../domain/observation/finding.ts';
import type { PanelStep } from '../domain/connection/panel.ts';
import type { RecordStatus } from '../domain/observation/record-status.ts';
import type { Params, SetupKey } from './words.ts';

/** Texts for customers. A finding without an entry is only for the tenant, or needs no action. */
const BY_CODE: Partial<Record<FindingCode, SetupKey>> = {
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
  wildcard_covers_hostname: 'findingWildcard',
};

/** General texts for findings without params: their messages quote the provider, the CA or the operator. */
const WITHOUT_PARAMS: Partial<Record<FindingCode, SetupKey>> = {
  credential_invalid: 'findingWrite',
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

/** Returns the text for a finding, to be filled with `findingParams`, or undefined if customers do not see it. */
export function findingWords({ code, params, record }: LocalizedFinding): SetupKey | undefined {
  const known = code as FindingCode;
  if (params === null) return WITHOUT_PARAMS[known];
  if (known === 'domain_connect_refused')
    return params['reason'] === 'user_cancel' ? 'findingCancelled' : 'findingRefused';
  // Without a record, these codes are about the zone.
  if (record === undefined && known === 'missing') return 'unregistered';
  if (record === undefined && known === 'ns_inconsistent') return 'findingDelegation';
  return BY_CODE[known];
}

/** Returns the params of a finding, with `hostname` also as `domain`, the placeholder in `unregistered`. */
export const findingParams = ({ params }: LocalizedFinding): Params => ({
  ...params,
  ...(params?.['hostname'] === undefined ? {} : { domain: params['hostname'] }),
});

export const STATUS_WORDS: Readonly<Record<RecordStatus, SetupKey>> = {
  later: 'statusLater',
  ready: 'statusReady',
  unchecked: 'statusUnchecked',
  pending: 'statusPending',
  missing: 'statusMissing',
  wrong: 'statusWrong',
  conflict: 'statusConflict',
  spreading: 'statusSpreading',
  optional: 'statusOptional',
  found: 'statusFound',
};

export const PANEL_STEP_WORDS: Readonly<Record<PanelStep['code'], SetupKey>> = {
  sign_in: 'stepSignIn',
  open: 'stepOpen',
  add: 'stepAdd',
  blank_host: 'stepBlank',
  proxy_off: 'stepProxy',
  save: 'stepSave',
};
