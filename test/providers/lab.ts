import type { Account } from '../../src/providers/contract.ts';
import type { Descriptor } from '../../src/providers/descriptor.ts';
import type { ProviderErrorCode } from '../../src/providers/provider-error.ts';

/** What the conformance suite needs to know of an adapter: zones to act upon. */
export interface ZoneLab {
  descriptor: Descriptor;
  /** A zone of its own for one test, holding these records beside its NS set. */
  freshZone(records?: readonly SeedRecord[]): Promise<LabZone>;
  stop(): Promise<void>;
}

/** An adapter with a server on the other side, and ways to disturb it. */
export interface DnsLab extends ZoneLab {
  /** An account whose credential the server does not know. */
  strangerTo(zone: LabZone): Account;
  /** Ways in which the server says no, and what each means. */
  refusals: readonly Refusal[];
  disturb(disturbance: Disturbance | undefined): void;
  secrets: readonly string[];
  /** Everything the adapters have logged so far. */
  logLines(): string;
}

/** A record as a zone file has it, at a name relative to the zone; TTLs differ from ours so that a mix-up shows. */
export interface SeedRecord {
  name: string;
  type: string;
  ttl: number;
  rdata: string;
}

export interface LabZone {
  name: string;
  /** A new account each time, sharing nothing with earlier ones but what a process shares. */
  open(): Account;
  /** All that the zone holds but the SOA, in the server's own words, sorted. Read past the adapter. */
  dump(): Promise<string[]>;
}

export interface Refusal {
  name: string;
  code: ProviderErrorCode;
  retryAfterSeconds?: number;
  /** An account with which any call is refused in this way. */
  provoke(zone: LabZone): Account;
}

export type Disturbance = 'silence' | 'silence_after_write' | 'garbage';
