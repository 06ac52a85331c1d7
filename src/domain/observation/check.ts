import type { Finding } from './finding.ts';
import type { ObservedRecord } from './observation.ts';
import type { DnsRecord } from '../record.ts';
import type { Pace } from '../connection/schedule.ts';
import type { Verdict } from './verdict.ts';

/** What a check needs to know of a connection. */
export interface Subject {
  tenantId: string;
  hostname: string;
  challenge: { name: string; value: string };
  desiredRecords: DnsRecord[];
  /** When the connection became live, if it did. */
  liveAt: number | null;
  /** The zone's name servers when it was first observed; a change of them is worth a finding. */
  nameservers: string[] | null;
  /** What we wrote for mail, and in which zone: watched beside the rest, for warnings alone. */
  mail?: { zone: string; records: DnsRecord[] };
}

/** A judged result for a connection. */
export interface Check {
  verdict: Verdict;
  /** The status line: what was seen where, for the operator who reads it while the connection waits. */
  sentence: string;
  findings: Finding[];
  /** The providers whose name servers the zone's could be, the likeliest first, and the servers, when the check learned them. */
  providers: readonly string[] | null;
  nameservers: string[] | null;
  /** Every server is known to be silent and was not waited for: checking again soon would be in vain. */
  silent?: boolean;
  /** What every server said, for people who want to see for themselves; plain JSON. */
  evidence: unknown;
}

export interface ChallengeCheck extends Check {
  /** TXT values found at the challenge's name. */
  observed: string[];
}

/** A wanted record and what stands in its place. */
export interface CheckedRecord extends DnsRecord {
  propagated: boolean;
  observed_value: string | null;
  /** The records that the first server shows there, with the type and TTL they have. */
  observed: ObservedRecord[];
}

export interface RecordsCheck extends Check {
  records: CheckedRecord[];
}

/** Checks connections in the real DNS, or in the sandbox. `now` is Temporal's time. */
export interface Checker {
  /** How closely a connection that serves is watched. */
  paceOf(hostname: string): Pace;
  challenge(subject: Subject, now: number, signal: AbortSignal): Promise<ChallengeCheck>;
  records(subject: Subject, now: number, signal: AbortSignal): Promise<RecordsCheck>;
}

/** The tenant has as many checks under way as it may; this one has not begun. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn';
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('Waiting for a turn: this tenant has as many checks under way as it may.');
    this.retryAfterMs = retryAfterMs;
  }
}
