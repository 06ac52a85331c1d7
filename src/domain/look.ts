import type { Finding } from './finding.ts';
import type { DnsRecord } from './record.ts';

/** Could not ask is not no: `unknown` never moves a state backwards, never drifts, never fails a domain. */
export type Verdict = 'match' | 'mismatch' | 'unknown';

/** What a look needs to know of a connection. */
export interface Subject {
  tenantId: string;
  hostname: string;
  challenge: { name: string; value: string };
  desiredRecords: DnsRecord[];
  /** When the connection became live, if it did. */
  liveAt: number | null;
}

interface Look {
  verdict: Verdict;
  /** The status line: what was seen where, for the operator who reads it while the connection waits. */
  sentence: string;
  findings: Finding[];
  /** The provider the zone's name servers belong to, when the look learned it. */
  provider: string | null;
}

export interface ChallengeLook extends Look {
  /** TXT values found at the challenge's name. */
  observed: string[];
}

export interface RecordSeen extends DnsRecord {
  propagated: boolean;
  observed_value: string | null;
}

export interface RecordsLook extends Look {
  records: RecordSeen[];
}

/** Whoever can look at DNS for a connection: the real DNS, or the sandbox. `now` is Temporal's time. */
export interface Eyes {
  challenge(subject: Subject, now: number, signal: AbortSignal): Promise<ChallengeLook>;
  records(subject: Subject, now: number, signal: AbortSignal): Promise<RecordsLook>;
}
