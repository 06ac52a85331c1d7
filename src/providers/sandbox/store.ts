import type { DnsRecord } from '../../domain/record.ts';
import type { Named } from '../../domain/zone-record.ts';

/** The records of one tenant's sandbox. Adapters know no database, so the process that has one lends this. */
export interface SandboxStore {
  read(hosts: readonly string[]): Promise<readonly DnsRecord[]>;
  /** Nobody else changes the zone through a credential meanwhile, and what the task does stands whole or not at all. */
  change<T>(zone: string, task: (records: SandboxRecords) => Promise<T>): Promise<T>;
}

/** The records inside a change. */
export interface SandboxRecords {
  read(hosts: readonly string[]): Promise<readonly DnsRecord[]>;
  add(record: DnsRecord): Promise<void>;
  remove(record: Named): Promise<void>;
}
