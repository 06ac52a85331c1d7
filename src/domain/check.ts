import type { Finding } from './finding.ts';
import type { DnsRecord } from './record.ts';
import type { Verdict } from './verdict.ts';

/** What a look needs to know of a connection. */
export interface Subject {
  tenantId: string;
  hostname: string;
  challenge: { name: string; value: string };
  desiredRecords: DnsRecord[];
  /** When the connection became live, if it did. */
  liveAt: number | null;
  /** The zone's name servers when it was first looked at; a change of them is worth a finding. */
  nameservers: string[] | null;
}

interface Check {
  verdict: Verdict;
  /** The status line: what was seen where, for the operator who reads it while the connection waits. */
  sentence: string;
  findings: Finding[];
  /** The provider the zone's name servers belong to, and the servers, when the look learned them. */
  provider: string | null;
  nameservers: string[] | null;
  /** What every server said, for people who want to see for themselves; plain JSON. */
  evidence: unknown;
}

export interface ChallengeCheck extends Check {
  /** TXT values found at the challenge's name. */
  observed: string[];
}

export interface CheckedRecord extends DnsRecord {
  propagated: boolean;
  observed_value: string | null;
}

export interface RecordsCheck extends Check {
  records: CheckedRecord[];
}

/** Whoever looks at DNS for a connection: the real DNS, or the sandbox. `now` is Temporal's time. */
export interface Checker {
  challenge(subject: Subject, now: number, signal: AbortSignal): Promise<ChallengeCheck>;
  records(subject: Subject, now: number, signal: AbortSignal): Promise<RecordsCheck>;
}
