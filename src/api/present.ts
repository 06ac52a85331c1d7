import type { ConnectionDetailRow } from '../db/connection/connection-detail.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { challengeOf } from '../db/observation/subject.ts';
import { registrableDomain } from '../dns/suffix.ts';
import { renewAt } from '../domain/certificate/certificate.ts';
import { challengeHost } from '../domain/certificate/dns-validation.ts';
import { registrationFindings } from '../domain/connection/registration.ts';
import { PROVED, SERVING, UNPROVED } from '../domain/connection/state-sets.ts';
import { presentConnection, type ConnectionFacts } from '../domain/connection/connection-resource.ts';
import { currentRecords, type EdgeTargets } from '../domain/connection/edge-addresses.ts';
import { credentialFindings, pausedFindings } from '../domain/zone/credential-health.ts';
import { challengeName } from '../domain/connection/challenge.ts';
import { expectedPlan } from '../domain/zone/expected-plan.ts';
import type { Finding } from '../domain/observation/finding.ts';
import { longDriftFindings } from '../domain/connection/long-drift.ts';
import { movingStatus, readyToPoint } from '../domain/connection/ready.ts';
import { providerName } from '../domain/zone/provider-names.ts';
import { inPanel, panelSteps } from '../domain/connection/panel.ts';
import { recordStatus, type Evidence, type RecordStatus } from '../domain/observation/record-status.ts';
import { isPolicy } from '../domain/observation/verdict.ts';
import { mergePolicies } from '../domain/email/spf.ts';
import { returnFindings, type ApplyLink } from './domain-connect.ts';
import { relativeHost, TTL_DEFAULT, type DnsRecord } from '../domain/record.ts';
import type { ZoneRecord } from '../domain/zone/zone-record.ts';
import { providerOf } from '../providers/registry.ts';
import { presentRoute } from './own-routes.ts';
import { coveredNames, isAboutWildcard, wildcardFindingsOf } from './present-wildcard.ts';

export const presentChallenge = ({
  hostname,
  challenge_token,
}: Pick<ConnectionRow, 'hostname' | 'challenge_token'>) => ({
  name: challengeName(hostname),
  type: 'TXT' as const,
  value: challenge_token,
});

export const presentCreated = (row: ConnectionFacts & Pick<ConnectionRow, 'challenge_token'>) => ({
  ...presentConnection(row),
  ownership_challenge: presentChallenge(row),
});

/** `link` is the Domain Connect link for this reader. It differs in every answer. */
export function presentDetail(
  stored: ConnectionDetailRow,
  now: Date,
  edge: EdgeTargets,
  link: ApplyLink | null = null,
) {
  const { companion } = stored;
  const row = { ...withCurrent(stored, edge), companion: companion && withCurrent(companion, edge) };
  const zone = row.zone ?? registrableDomain(row.hostname);
  const present = <R extends { host: string }>(record: R) => ({
    ...record,
    relative_host: relativeHost(record.host, zone),
  });
  const findings = findingsOf(row, now);
  const setup = setupOf(row, zone, findings);
  return {
    ...presentCreated(row),
    provider_name: providerName(row.provider) ?? row.domain_connect_offer?.provider_name ?? null,
    desired_records: row.desired_records.map((record) => present({ ...record, required: isRequired(record) })),
    variables: row.variables,
    observed_records: row.observation === null ? [] : presentObserved(row.observation, present),
    records_to_add: setup.records.map(present),
    provider_panel: setup.panel,
    plan: presentPlan(row, present),
    certificate: presentCertificate(row),
    before_dns: row.before_dns,
    point: row.point,
    ready_to_point: readyToPoint(row),
    ...presentRoute(row),
    companion: presentCompanion(row),
    domain_connect: link,
    cleanup: row.cleanup,
    last_checked_at: iso(row.last_checked_at),
    next_check_at: iso(row.next_check_at),
    findings: findings.map((finding) => presentFinding(finding, present)),
    timeline: row.timeline.map(({ at, kind, from_state, to_state, reason }) => ({
      at: at.toISOString(),
      kind,
      from: from_state,
      to: to_state,
      reason,
    })),
  };
}

/** Returns the row with the edge's present addresses. */
const withCurrent = <R extends Pick<ConnectionDetailRow, 'desired_records'>>(row: R, edge: EdgeTargets): R => ({
  ...row,
  desired_records: currentRecords(row.desired_records, edge),
});

export const presentCertificate = (row: PresentedCertificate) => ({
  status: row.certificate_status,
  not_after: iso(row.certificate_not_after),
  ca: row.certificate_ca,
  source: row.certificate_source,
  serial: row.certificate_serial,
  names: row.certificate_names ?? [],
  imported: row.certificate_imported,
  renew_at: iso(renewalOf(row)),
});

type PresentedCertificate = Pick<
  ConnectionDetailRow,
  | 'certificate_status'
  | 'certificate_not_before'
  | 'certificate_not_after'
  | 'certificate_ca'
  | 'certificate_source'
  | 'certificate_serial'
  | 'certificate_names'
  | 'certificate_imported'
>;

/** A tenant renews its own certificates. */
function renewalOf(row: PresentedCertificate): Date | null {
  const { certificate_not_before: notBefore, certificate_not_after: notAfter, certificate_source: source } = row;
  return notBefore === null || notAfter === null || source === 'uploaded' ? null : renewAt({ notBefore, notAfter });
}

export const presentFinding = (
  { record, records, params, ...finding }: Finding,
  present: (record: DnsRecord) => object,
) => ({
  ...finding,
  params: params ?? null,
  ...(record ? { record: present(record) } : {}),
  ...(records ? { records: records.map(present) } : {}),
});

/** Before the proof, the worker checks only the challenge, so findings of records:check about the rest are added. */
const findingsOf = (row: ConnectionDetailRow, now: Date): Finding[] => [
  ...row.findings.filter((finding) => !isAboutWildcard(finding)),
  ...wildcardFindingsOf(row),
  ...(UNPROVED.has(row.state) ? recordFindingsOf(row) : []),
  ...credentialWarnings(row, now),
  ...(row.state === 'archived' ? [] : pausedFindings(row.paused_provider)),
  ...longDriftFindings(row, now),
  ...(SERVING.has(row.state) ? registrationFindings(row.registration) : []),
  ...returnFindings(row),
];

function recordFindingsOf(row: ConnectionDetailRow): Finding[] {
  const covered = coveredNames(row);
  return (row.observation?.findings ?? []).filter(({ record }) => record !== undefined && !covered.has(record.host));
}

/** Returns the records as the customer's provider wants them typed, the status of each, and the steps in its panel. */
function setupOf(row: ConnectionDetailRow, zone: string, findings: Finding[]) {
  const descriptor = row.provider === null ? undefined : providerOf(row.provider)?.descriptor;
  const flattens = descriptor?.capabilities.apex_alias === 'flattening';
  const evidence = { findings, checked: row.observation?.records ?? [] };
  const inForm = (wanted: DnsRecord & { required?: false }, status: RecordStatus) => {
    const record = asOwnerTypes(wanted, evidence.checked);
    return {
      ...record,
      ...inPanel(record, zone, descriptor?.panel, { flattens }),
      status,
      required: isRequired(wanted),
    };
  };
  const covered = coveredNames(row);
  // The finding disappears with the check that finds these records.
  const first = findings
    .flatMap(({ code, records = [] }) => (code === 'dangling' ? [] : records))
    .map((record) => inForm(record, 'missing'));
  // Includes the challenge and the companion's records, so one visit to the DNS panel is enough.
  const others = [row, ...(row.companion === null ? [] : [row.companion])].flatMap((one) => {
    const challenge = challengeOf(one);
    const isProved = PROVED.has(one.state);
    // A CNAME is the proof, so there is nothing to add for it.
    const isNeedless = one === row && isProved && row.proof === 'cname_target';
    return [
      ...(isNeedless ? [] : [inForm(challenge, isProved ? 'found' : recordStatus(challenge, evidence))]),
      ...delegationRecords(one).map((record) => inForm(record, delegationStatus(one))),
      ...one.desired_records.map((record) =>
        inForm(
          record,
          whileChanging(movingStatus(covered.has(record.host) ? 'missing' : recordStatus(record, evidence), one), row),
        ),
      ),
    ];
  });
  const records = [...first, ...others];
  if (descriptor === undefined) return { records, panel: null };
  const { name, control_panel_url, panel } = descriptor;
  return { records, panel: { name, url: control_panel_url, steps: panelSteps(panel, name, records) } };
}

/** After a change of the records, one that is not there yet is no mistake. Once it counts as one, the state is `drifted`. */
const whileChanging = (
  status: RecordStatus,
  { record_change, state }: Pick<ConnectionDetailRow, 'record_change' | 'state'>,
): RecordStatus => {
  const isAbsent = status === 'missing' || status === 'wrong' || status === 'unchecked';
  return record_change !== null && state === 'live' && isAbsent ? 'pending' : status;
};

const isRequired = ({ required }: { required?: false }): boolean => required !== false;

/** Returns the record that the owner publishes. A sender policy keeps the senders that the published one allows. */
function asOwnerTypes<R extends DnsRecord>(wanted: R, checked: Evidence['checked']): R {
  if (!isPolicy(wanted)) return wanted;
  const seen = checked.find(
    ({ host, type, value }) => host === wanted.host && type === 'TXT' && value === wanted.value,
  );
  const published = (seen?.observed ?? []).flatMap(({ type, value }) => (isPolicy({ type, value }) ? [value] : []));
  return { ...wanted, value: mergePolicies(published, wanted.value) };
}

/** Returns the record by which the customer delegates the challenges of the CA, if one is needed. */
const delegationRecords = ({
  hostname,
  delegated_to,
}: Pick<ConnectionDetailRow, 'hostname' | 'delegated_to'>): DnsRecord[] =>
  delegated_to === null
    ? []
    : [{ host: challengeHost(hostname), type: 'CNAME', value: delegated_to, ttl: TTL_DEFAULT, priority: null }];

/** An order is placed only once the delegation is seen. */
function delegationStatus({
  state,
  ready_to_point,
  is_ordering,
  live_at,
}: Pick<ConnectionDetailRow, 'state' | 'ready_to_point' | 'is_ordering' | 'live_at'>): RecordStatus {
  if (ready_to_point || is_ordering || live_at !== null) return 'found';
  return PROVED.has(state) ? 'missing' : 'unchecked';
}

type PublishedRecord = Pick<ZoneRecord, 'host' | 'type' | 'value' | 'ttl' | 'priority'>;

/** Returns the changes that automatic setup would make, or null if no credential covers the hostname. */
function presentPlan(row: ConnectionDetailRow, present: (record: PublishedRecord) => object) {
  if (row.writer === null || row.state === 'archived') return null;
  const written = row.desired_records.filter((record) => !isPolicy(record));
  const wanted = UNPROVED.has(row.state) ? [challengeOf(row), ...written] : written;
  const covered = coveredNames(row);
  const seen = observedOf(row.observation?.records ?? [])
    .map(({ record }) => record)
    .filter(({ host }) => !covered.has(host));
  const made = expectedPlan(wanted, seen, row.writer.conflict_policy);
  const shown = ({ host, type, value, ttl, priority }: PublishedRecord) =>
    present({ host, type, value, ttl, priority });
  return {
    provider: row.writer.provider,
    creates: made.creates.map(shown),
    keeps: made.keeps.map(shown),
    untouched: made.untouched.map(shown),
    conflicts: made.conflicts.map(({ wanted: one, found, reason }) => ({
      wanted: shown(one),
      found: found.map(shown),
      reason,
    })),
  };
}

function presentCompanion({ companion, main }: ConnectionDetailRow) {
  const other = companion ?? main;
  if (other === null) return null;
  const { id: connection_id, hostname, state } = other;
  return { connection_id, hostname, state, role: companion === null ? 'main' : 'companion' };
}

/** Returns warnings about the credential, unless a refused write has already recorded them. */
const credentialWarnings = ({ findings, state, credential }: ConnectionDetailRow, now: Date) =>
  state === 'archived'
    ? []
    : credentialFindings(credential, now).filter(({ code }) => !findings.some((finding) => finding.code === code));

/** Returns the published records, each once. A record that several wanted ones find is propagated if one of them is. */
function presentObserved(
  { records, last_at }: NonNullable<ConnectionDetailRow['observation']>,
  present: (record: DnsRecord) => object,
) {
  return observedOf(records).map(({ record, propagated }) => ({
    ...present(record),
    propagated,
    observed_at: last_at.toISOString(),
  }));
}

function observedOf(records: NonNullable<ConnectionDetailRow['observation']>['records']) {
  const published = records.flatMap(({ host, observed, propagated }) =>
    observed.map((record) => ({ record: { ...record, host }, propagated })),
  );
  const same = Map.groupBy(published, ({ record }) => JSON.stringify([record.host, record.type, record.value]));
  return [...same.values()].flatMap((group) =>
    group.slice(0, 1).map(({ record }) => ({ record, propagated: group.some(({ propagated }) => propagated) })),
  );
}

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;
