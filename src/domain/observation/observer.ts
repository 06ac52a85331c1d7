import type { Challenge } from '../connection/challenge.ts';
import type { Lookup } from './alias-path.ts';
import type { DcOffer } from '../zone/domain-connect.ts';
import type { DomainObservation } from './domain-observation.ts';
import type {
  CaaObservation,
  ChallengeObservation,
  DnssecStatus,
  RecordsObservation,
  ZoneObservation,
} from './observation.ts';
import type { DnsRecord } from '../record.ts';

/**
 * Observes DNS for the rest of the service: the servers of the real DNS, or the sandbox's table. Observing never fails:
 * what could not be learned is `unknown` inside the observation. A promise is rejected only when the caller's own signal
 * is aborted.
 */
export interface Observer {
  observeChallenge(hostname: string, challenge: Challenge, signal?: AbortSignal): Promise<ChallengeObservation>;
  observeRecords(hostname: string, wanted: DnsRecord[], signal?: AbortSignal): Promise<RecordsObservation>;
  /** Everything that helps the customer decide how to connect a domain; `wanted` makes conflicts visible beforehand. */
  observeDomain(domain: string, wanted: DnsRecord[], signal?: AbortSignal): Promise<DomainObservation>;
  /** The zone that answers for the name now, with the servers it is delegated to. */
  observeZone(hostname: string, signal?: AbortSignal): Promise<ZoneObservation>;
  /** What the zone's provider offers by Domain Connect; null where nothing is offered. */
  observeOffer(hostname: string, signal?: AbortSignal): Promise<DcOffer | null>;
  /** One question, for which one authoritative server's word is enough. */
  lookup(signal?: AbortSignal): Lookup;
  caa(hostname: string, signal?: AbortSignal): Promise<CaaObservation>;
  dnssec(hostname: string, signal?: AbortSignal): Promise<DnssecStatus>;
  close(): Promise<void>;
}
