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
      message: `The ${record.type} record for mail that we wrote at ${record.host} is gone or was changed.`,
      fix: 'Set it again by applying the mailbox provider once more, or, if it was meant to go, take back the mail records (dns:revert with purpose email).',
      record,
    }));
