import type { DnsRecord } from '../../domain/record.ts';
import type { Named } from '../../domain/zone/zone-record.ts';

/** Zones of one tenant that this service stores itself. Adapters have no database, so the process passes this. */
export interface LocalZones {
  read(hosts: readonly string[]): Promise<readonly DnsRecord[]>;
  /** Changes the zone. No other credential changes it meanwhile, and the task takes effect as a whole or not at all. */
  change<T>(zone: string, task: (records: LocalRecords) => Promise<T>): Promise<T>;
}

/** The records of a zone during a change. */
export interface LocalRecords {
  read(hosts: readonly string[]): Promise<readonly DnsRecord[]>;
  add(record: DnsRecord): Promise<void>;
  remove(record: Named): Promise<void>;
}
