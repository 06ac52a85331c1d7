import type { Pool } from '../db/pool.ts';
import type { Finding } from '../domain/finding.ts';
import type { ChallengeCheck, Checker, CheckedRecord, RecordsCheck, Subject } from '../domain/check.ts';
import { sameValue, TTL_DEFAULT, type DnsRecord } from '../domain/record.ts';
import { behaviourOf } from './behaviours.ts';
import { publish, readZone } from '../db/sandbox-records.ts';

/** Names under .test have no DNS in the world; in the test environment a table plays it. */
export const isSandboxName = (hostname: string): boolean => hostname.endsWith('.test');

/** Looks at the sandbox exactly as the real observer looks at DNS: same verdicts, same findings, same sentences. */
export function sandboxChecker(pool: Pool): Checker {
  async function zone(subject: Subject, wanted: DnsRecord[], now: number): Promise<readonly DnsRecord[]> {
    const behaviour = behaviourOf(subject.hostname);
    for (const { record, visibleAt } of behaviour.publishes(subject, wanted, now))
      await publish(pool, subject.tenantId, record, new Date(visibleAt));
    const hosts = [...new Set(wanted.map((record) => record.host))];
    return readZone(pool, subject.tenantId, hosts, new Date(now), behaviour.forgottenBefore(subject, now));
  }

  return {
    async challenge(subject, now): Promise<ChallengeCheck> {
      const wanted = challengeRecord(subject);
      const found = (await zone(subject, [wanted], now)).filter((record) => record.type === 'TXT');
      const observed = found.map((record) => record.value);
      const match = observed.includes(wanted.value);
      return {
        verdict: match ? 'match' : 'mismatch',
        sentence: match
          ? `TXT ${wanted.host} is right.`
          : `TXT ${wanted.host} ${observed.length > 0 ? 'has another value' : 'is not there'}.`,
        findings: match ? [] : [missing(wanted)],
        provider: 'sandbox',
        nameservers: null,
        evidence: null,
        observed,
      };
    },

    async records(subject, now): Promise<RecordsCheck> {
      const found = await zone(subject, subject.desiredRecords, now);
      const records = subject.desiredRecords.map((wanted): CheckedRecord => seen(wanted, found));
      const absent = records.filter((record) => !record.propagated);
      return {
        verdict: absent.length === 0 ? 'match' : 'mismatch',
        sentence:
          absent.length === 0
            ? 'All records are there.'
            : `Not there yet: ${absent.map((record) => `${record.type} ${record.host}`).join(', ')}.`,
        findings: subject.desiredRecords.flatMap((wanted, index) =>
          records[index]?.propagated === false ? [faultAt(wanted, found)] : [],
        ),
        provider: 'sandbox',
        nameservers: null,
        evidence: null,
        records,
      };
    },
  };
}

const challengeRecord = ({ challenge }: Subject): DnsRecord => ({
  host: challenge.name,
  type: 'TXT',
  value: challenge.value,
  ttl: TTL_DEFAULT,
  priority: null,
});

function seen(wanted: DnsRecord, found: readonly DnsRecord[]): CheckedRecord {
  const there = found.filter((record) => record.host === wanted.host && record.type === wanted.type);
  const match = there.find((record) => sameValue(wanted.type, record.value, wanted.value));
  return { ...wanted, propagated: match !== undefined, observed_value: (match ?? there[0])?.value ?? null };
}

/** What is in the way of a record that is not there as wanted. */
function faultAt(wanted: DnsRecord, found: readonly DnsRecord[]): Finding {
  const there = found.filter((record) => record.host === wanted.host);
  const cname = there.find((record) => record.type === 'CNAME' && wanted.type !== 'CNAME');
  if (cname)
    return {
      code: 'cname_conflict',
      severity: 'error',
      message: `A CNAME to ${cname.value} stands at ${wanted.host}, where a ${wanted.type} record is wanted.`,
      fix: `Remove the CNAME at ${wanted.host}, then add a ${wanted.type} record with the value ${wanted.value}.`,
      record: wanted,
    };
  const other = there.find((record) => record.type === wanted.type);
  if (!other) return missing(wanted);
  return {
    code: 'wrong_value',
    severity: 'error',
    message: `The ${wanted.type} record at ${wanted.host} has the value ${other.value}.`,
    fix: `Change the ${wanted.type} record at ${wanted.host} to the value ${wanted.value}.`,
    record: wanted,
  };
}

const missing = (record: DnsRecord): Finding => ({
  code: 'missing',
  severity: 'error',
  message: `There is no ${record.type} record at ${record.host} with the value we expect.`,
  fix: `Add a ${record.type} record at ${record.host} with the value ${record.value}.`,
  record,
});
