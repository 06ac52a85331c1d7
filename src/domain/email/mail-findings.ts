import type { Finding } from '../observation/finding.ts';
import type { RecordsObservation } from '../observation/observation.ts';
import type { DnsRecord } from '../record.ts';
import { judgeRecords } from '../observation/verdict.ts';

/** Returns warnings about missing mail records of ours. The domain serves without them, so they are no drift. */
export const mailFindings = (observation: RecordsObservation, records: DnsRecord[]): Finding[] =>
  judgeRecords(observation, records)
    .filter(({ verdict }) => verdict === 'mismatch')
    .map(({ record }) => ({
      code: 'mail_record_changed',
      severity: 'warning',
      message: `The ${record.type} record for mail that we wrote at ${record.host} was removed or changed.`,
      fix: 'Apply the mailbox provider again. If the removal was intended, revert the mail records (dns:revert with purpose email).',
      record,
    }));
