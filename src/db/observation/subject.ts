import { challengeName } from '../../domain/connection/constants.ts';
import type { Subject } from '../../domain/observation/check.ts';
import { TTL_DEFAULT, type DnsRecord } from '../../domain/record.ts';
import type { ConnectionRow } from '../connection/connection-row.ts';

/** What a look needs to know of a row. */
export const subjectOf = (row: ConnectionRow): Subject => ({
  tenantId: row.tenant_id,
  hostname: row.hostname,
  challenge: { name: challengeName(row.hostname), value: row.challenge_token },
  desiredRecords: row.desired_records,
  liveAt: row.live_at?.getTime() ?? null,
  nameservers: row.nameservers,
});

/** The ownership challenge as the record that the customer, or we through a credential, must set. */
export const challengeOf = (row: Pick<ConnectionRow, 'hostname' | 'challenge_token'>): DnsRecord => ({
  host: challengeName(row.hostname),
  type: 'TXT',
  value: row.challenge_token,
  ttl: TTL_DEFAULT,
  priority: null,
});
