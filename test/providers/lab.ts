import type { Account } from '../../src/providers/contract.ts';
import type { Descriptor } from '../../src/providers/descriptor.ts';
import type { ProviderErrorCode } from '../../src/providers/provider-error.ts';

/** Zones for the conformance suite. */
export interface ZoneLab {
  descriptor: Descriptor;
  /** Creates a separate zone for one test, with these records in addition to its NS set. */
  freshZone(records?: readonly SeedRecord[]): Promise<LabZone>;
  stop(): Promise<void>;
}

/** An adapter with a server on the other side that tests can disturb. */
export interface DnsLab extends ZoneLab {
  /** Returns an account whose credential the server does not know. */
  strangerTo(zone: LabZone): Account;
  /** Ways in which the server refuses, and the code of each. */
  refusals: readonly Refusal[];
  disturb(disturbance: Disturbance | undefined): void;
  secrets: readonly string[];
  /** Returns everything that the adapters have logged so far. */
  logLines(): string;
}

/** A record in zone-file form, at a name relative to the zone. TTLs differ from ours so that tests notice a mix-up. */
export interface SeedRecord {
  name: string;
  type: string;
  ttl: number;
  rdata: string;
}

export interface LabZone {
  name: string;
  /** Opens a new account, which shares with earlier ones only what a process shares. */
  open(): Account;
  /** Returns all records of the zone except the SOA as the server prints them, sorted. It bypasses the adapter. */
  dump(): Promise<string[]>;
}

export interface Refusal {
  name: string;
  code: ProviderErrorCode;
  retryAfterSeconds?: number;
  /** Returns an account whose calls the server refuses in this way. */
  provoke(zone: LabZone): Account;
}

export type Disturbance = 'silence' | 'silence_after_write' | 'garbage';
