import { challengeName, challengeRecord, type Challenge } from '../../domain/connection/challenge.ts';
import type { Subject } from '../../domain/observation/check.ts';
import type { DnsRecord } from '../../domain/record.ts';
import type { ConnectionRow } from '../connection/connection-row.ts';

type TokenRow = Pick<ConnectionRow, 'hostname' | 'challenge_token'>;

const challengeIn = (row: TokenRow): Challenge => ({ name: challengeName(row.hostname), value: row.challenge_token });

/** Returns the subject of a check: the facts of a connection that the check needs. */
export const subjectOf = (row: ConnectionRow): Subject => ({
  tenantId: row.tenant_id,
  hostname: row.hostname,
  speed: row.sandbox_speed ?? 1,
  challenge: challengeIn(row),
  desiredRecords: row.desired_records,
  ...(row.proof_target === null ? {} : { proofTarget: row.proof_target }),
  liveAt: row.live_at?.getTime() ?? null,
  nameservers: row.nameservers,
});

/** Returns the challenge as a DNS record. */
export const challengeOf = (row: TokenRow): DnsRecord => challengeRecord(challengeIn(row));
