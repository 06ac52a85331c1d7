import type { Challenge } from '../connection/challenge.ts';
import type { Lookup } from './alias-path.ts';
import type { DcOffer } from '../zone/domain-connect.ts';
import type { DomainObservation } from './domain-observation.ts';
import type {
  CaaObservation,
  ChallengeObservation,
  CnameObservation,
  DnssecStatus,
  RecordsObservation,
  WildcardVerdict,
  ZoneObservation,
} from './observation.ts';
import type { DnsRecord } from '../record.ts';
import type { WantedRecord } from './verdict.ts';

/** `recent`: an answer of the last seconds is enough, because the caller only repeats or explains a check. */
export interface Freshness {
  recent?: boolean;
}

/** Observes the real DNS or the sandbox. Missing answers are `unknown`; a promise rejects only if aborted. */
export interface Observer {
  observeChallenge(hostname: string, challenge: Challenge, signal?: AbortSignal): Promise<ChallengeObservation>;
  /**
   * Asks one name server, the one whose turn it is, whether it returns the challenge. Returns null if no check has found
   * the zone lately. The answer proves nothing: it shows that a check is worthwhile.
   */
  seesChallenge(hostname: string, challenge: Challenge, turn: number, signal: AbortSignal): Promise<boolean | null>;
  /** Observes whether the hostname has a CNAME of its own to the target. */
  observeCname(hostname: string, target: string, signal?: AbortSignal): Promise<CnameObservation>;
  /** With `recent`, returns the last observation if every record was right. */
  observeRecords(
    hostname: string,
    wanted: WantedRecord[],
    signal?: AbortSignal,
    freshness?: Freshness,
  ): Promise<RecordsObservation>;
  /**
   * Observes everything that helps the customer choose how to connect a domain. `wanted` reveals conflicts; `own` are
   * Domain Connect services of the application's own records.
   */
  observeDomain(
    domain: string,
    wanted: DnsRecord[],
    signal?: AbortSignal,
    own?: readonly string[],
  ): Promise<DomainObservation>;
  /** Observes the zone that contains the hostname, and its delegation. */
  observeZone(hostname: string, signal?: AbortSignal): Promise<ZoneObservation>;
  /** Observes whether only a wildcard answers for a name. */
  observeWildcard(name: string, signal?: AbortSignal): Promise<WildcardVerdict>;
  /** Returns the Domain Connect offer of the zone's provider; null if there is none. */
  observeOffer(hostname: string, signal?: AbortSignal, own?: readonly string[]): Promise<DcOffer | null>;
  /** Returns a lookup that asks one authoritative server. */
  lookup(signal?: AbortSignal, freshness?: Freshness): Lookup;
  caa(hostname: string, signal?: AbortSignal): Promise<CaaObservation>;
  dnssec(hostname: string, signal?: AbortSignal): Promise<DnssecStatus>;
  close(): Promise<void>;
}
