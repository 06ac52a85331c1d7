import type { DnsRecord } from '../../domain/record.ts';
import type { Named } from '../../domain/zone/zone-record.ts';

/** Zones of one tenant that this service keeps itself. Adapters know no database, so the process that has one lends this. */
export interface LocalZones {
  read(hosts: readonly string[]): Promise<readonly DnsRecord[]>;
  /** No other credential changes the zone meanwhile, and what the task does stands whole or not at all. */
  change<T>(zone: string, task: (records: LocalRecords) => Promise<T>): Promise<T>;
}

/** The records inside a change. */
export interface LocalRecords {
  read(hosts: readonly string[]): Promise<readonly DnsRecord[]>;
  add(record: DnsRecord): Promise<void>;
  remove(record: Named): Promise<void>;
}
