import { challengeName, challengeRecord, type Challenge } from '../../domain/connection/challenge.ts';
import type { Subject } from '../../domain/observation/check.ts';
import type { DnsRecord } from '../../domain/record.ts';
import type { ConnectionRow } from '../connection/connection-row.ts';

type Proved = Pick<ConnectionRow, 'hostname' | 'challenge_token'>;

const challengeIn = (row: Proved): Challenge => ({ name: challengeName(row.hostname), value: row.challenge_token });

export const subjectOf = (row: ConnectionRow): Subject => ({
  tenantId: row.tenant_id,
  hostname: row.hostname,
  challenge: challengeIn(row),
  desiredRecords: row.desired_records,
  liveAt: row.live_at?.getTime() ?? null,
  nameservers: row.nameservers,
});

export const challengeOf = (row: Proved): DnsRecord => challengeRecord(challengeIn(row));
