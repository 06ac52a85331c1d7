import type { DomainLook } from './domain-look.ts';
import type { CaaLook, ChallengeObservation, DnssecStatus, RecordsObservation } from './observation.ts';
import type { DnsRecord } from './record.ts';

/**
 * Whoever looks at DNS for the rest of the service: the real world's servers, or the sandbox's table. Looking never
 * fails: whatever could not be learned is `unknown` inside the observation. A promise is rejected only when the caller's
 * own signal is aborted.
 */
export interface Eyes {
  lookForChallenge(hostname: string, challenge: Challenge, signal?: AbortSignal): Promise<ChallengeObservation>;
  lookAtRecords(hostname: string, wanted: DnsRecord[], signal?: AbortSignal): Promise<RecordsObservation>;
  /** Everything that helps somebody decide how to connect a domain; `wanted` makes conflicts visible beforehand. */
  checkDomain(domain: string, wanted: DnsRecord[], signal?: AbortSignal): Promise<DomainLook>;
  caa(hostname: string, signal?: AbortSignal): Promise<CaaLook>;
  dnssec(hostname: string, signal?: AbortSignal): Promise<DnssecStatus>;
  close(): Promise<void>;
}

/** The TXT record that proves control of a hostname. */
export interface Challenge {
  name: string;
  value: string;
}
