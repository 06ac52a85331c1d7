import type { Finding } from './finding.ts';
import type { ObservedRecord } from './observation.ts';
import type { DesiredRecord } from '../connection/edge-addresses.ts';
import type { DnsRecord } from '../record.ts';
import type { Pace } from '../connection/schedule.ts';
import type { Verdict } from './verdict.ts';

export interface Subject {
  tenantId: string;
  hostname: string;
  /** Factor by which time passes faster for a sandbox hostname; 1 by default. */
  speed?: number;
  challenge: { name: string; value: string };
  desiredRecords: DesiredRecord[];
  /** The target of an imported hostname, to which its CNAME points. */
  proofTarget?: string;
  /** Time at which the connection became live; null before. */
  liveAt: number | null;
  /** The zone's name servers at its first check. A change gives a finding. */
  nameservers: string[] | null;
  /** Mail records that we wrote, and their zone. They give warnings only. */
  mail?: { zone: string; records: DnsRecord[] };
}

export interface Check {
  verdict: Verdict;
  /** Status line for operators: what was found, and where. */
  sentence: string;
  findings: Finding[];
  /** Providers that may serve the zone, likeliest first, and its name servers; null if the check did not learn them. */
  providers: readonly string[] | null;
  nameservers: string[] | null;
  /** Every name server is known to be silent and was not asked, so an early retry is pointless. */
  silent?: boolean;
  /** Answers of every server as plain JSON, for people who want details. */
  evidence: unknown;
}

export interface ChallengeCheck extends Check {
  /** TXT values at the challenge name. */
  observed: string[];
}

/** A check of the CNAME that proves an imported hostname. `observed` holds the CNAMEs. */
export interface CnameCheck extends ChallengeCheck {
  /** Whether servers deny the proof and none confirms it. */
  isGone: boolean;
}

/** A desired record, and the records found in its place. */
export interface CheckedRecord extends DnsRecord {
  propagated: boolean;
  /** The record is missing, and another address of the edge is enough (EDGE_ADDRESSES=any). */
  optional?: true;
  observed_value: string | null;
  /** Records that the first answering server returned, with their own types and TTLs. */
  observed: ObservedRecord[];
}

export interface RecordsCheck extends Check {
  records: CheckedRecord[];
  /** The records are right, but the target that proves the hostname does not point at the edge yet. */
  awaitsTarget?: true;
}

/** Checks connections in the real DNS or in the sandbox. `now` is Temporal's time. */
export interface Checker {
  paceOf(subject: Pick<Subject, 'hostname' | 'speed'>): Pace;
  challenge(subject: Subject, now: number, signal: AbortSignal): Promise<ChallengeCheck>;
  /** Checks the CNAME to the subject's `proofTarget`. */
  cname(subject: Subject, now: number, signal: AbortSignal): Promise<CnameCheck>;
  records(subject: Subject, now: number, signal: AbortSignal): Promise<RecordsCheck>;
}

/** The tenant has reached its maximum of concurrent checks, and this one has not started. */
export class TooManyChecks extends Error {
  override readonly name = 'TooManyChecks';
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('Waiting for a turn: this tenant has as many checks under way as it may.');
    this.retryAfterMs = retryAfterMs;
  }
}
