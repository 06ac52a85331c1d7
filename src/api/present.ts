import type { ConnectionDetailRow } from '../db/connection-detail.ts';
import type { ConnectionRow } from '../db/connection-row.ts';
import { challengeOf } from '../db/subject.ts';
import { registrableDomain } from '../dns/suffix.ts';
import { presentConnection, type ConnectionFacts } from '../domain/connection-resource.ts';
import { credentialFindings } from '../domain/credential-health.ts';
import { challengeName } from '../domain/constants.ts';
import { returnFindings, type ApplyLink } from './domain-connect.ts';
import { relativeHost, type DnsRecord } from '../domain/record.ts';

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

/** For a reader who can act on it, the link to the page of consent; it differs from reading to reading. */
export function presentDetail(row: ConnectionDetailRow, now: Date, link: ApplyLink | null = null) {
  const zone = registrableDomain(row.hostname);
  const present = (record: DnsRecord) => ({ ...record, relative_host: relativeHost(record.host, zone) });
  return {
    ...presentCreated(row),
    desired_records: row.desired_records.map(present),
    observed_records: row.observation === null ? [] : presentObserved(row.observation, present),
    records_to_add: recordsToAdd(row).map(present),
    certificate: { status: row.certificate_status, not_after: iso(row.certificate_not_after), ca: row.certificate_ca },
    companion: presentCompanion(row),
    domain_connect: link,
    cleanup: row.cleanup,
    last_checked_at: iso(row.last_checked_at),
    next_check_at: iso(row.next_check_at),
    findings: [...row.findings, ...credentialWarnings(row, now), ...returnFindings(row)].map(
      ({ record, ...finding }) => ({
        ...finding,
        ...(record ? { record: present(record) } : {}),
      }),
    ),
    timeline: row.timeline.map(({ at, kind, from_state, to_state, reason }) => ({
      at: at.toISOString(),
      kind,
      from: from_state,
      to: to_state,
      reason,
    })),
  };
}

/** One visit to the DNS panel does all: the challenge and the records, and those of a companion. */
const recordsToAdd = (row: ConnectionDetailRow): DnsRecord[] =>
  [row, ...(row.companion === null ? [] : [row.companion])].flatMap((one) => [
    challengeOf(one),
    ...one.desired_records,
  ]);

function presentCompanion({ companion, main }: ConnectionDetailRow) {
  const beside = companion ?? main;
  if (beside === null) return null;
  const { id: connection_id, hostname, state } = beside;
  return { connection_id, hostname, state, role: companion === null ? 'main' : 'companion' };
}

/** What the tenant should know of the credential behind the connection, unless a refused write has said it already. */
const credentialWarnings = ({ findings, state, credential }: ConnectionDetailRow, now: Date) =>
  state === 'archived'
    ? []
    : credentialFindings(credential, now).filter(({ code }) => !findings.some((finding) => finding.code === code));

/**
 * What stands in DNS now, each record once, with the type and TTL it has there; never the wish. Several wanted records
 * may have the same one in their place: it is propagated when it is so for one of them.
 */
function presentObserved(
  { records, last_at }: NonNullable<ConnectionDetailRow['observation']>,
  present: (record: DnsRecord) => object,
) {
  const standing = records.flatMap(({ host, observed, propagated }) =>
    observed.map((record) => ({ record: { ...record, host }, propagated })),
  );
  const same = Map.groupBy(standing, ({ record }) => JSON.stringify([record.host, record.type, record.value]));
  return [...same.values()].flatMap((group) =>
    group.slice(0, 1).map(({ record }) => ({
      ...present(record),
      propagated: group.some(({ propagated }) => propagated),
      observed_at: last_at.toISOString(),
    })),
  );
}

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;
