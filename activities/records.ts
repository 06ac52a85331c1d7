import { AWAITS_RECORDS, SERVING } from '../src/domain/connection/state-sets.ts';
import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { recordsWantedEarlier } from '../src/db/connection/rivals.ts';
import type { RecordsCheck } from '../src/domain/observation/check.ts';
import type { Finding } from '../src/domain/observation/finding.ts';
import { rivalFindings } from '../src/domain/zone/rivals.ts';
import { recordMail } from '../src/db/observation/mail.ts';
import { registrableDomain } from '../src/dns/suffix.ts';
import { mailWritten } from '../src/db/zone/ledger.ts';
import { subjectOf } from '../src/db/observation/subject.ts';
import type { WriteAccess } from '../src/domain/connection/due-work.ts';
import { afterPropagation, afterWatch } from '../src/domain/connection/consequence.ts';
import type { ConnectionSnapshot, ReportedStatus } from '../src/domain/connection/snapshot.ts';
import { observeAllMail } from '../src/domain/email/observe-mail.ts';
import { orderFindings } from '../src/ordering/ensure.ts';
import { attempt, checking, endCheck, type Attempt } from './attempt.ts';
import { stillProved } from './cname-proof.ts';
import { checkCertificate } from './certificate-health.ts';
import type { Deps } from './deps.ts';
import { snapshotOf, writeAccessOf } from './snapshot.ts';
import { readRow } from '../src/db/connection/rows.ts';
import { retryCheck } from './retry-check.ts';
import { settle, type Step } from './settle.ts';

export function recordActivities(deps: Deps) {
  async function lookForRecords(id: string, touched: boolean, reported?: ReportedStatus): Promise<ConnectionSnapshot> {
    const at = attempt();
    const row = await stillProved(deps, await readRow(deps.pool, id), at);
    if (!AWAITS_RECORDS.has(row.state)) return snapshotOf(deps.pool, row, at.now);
    const settled = await propagate(row, at, touched, await writeAccessOf(deps.pool, row));
    if (hasMoved(settled.row, row)) return snapshotOf(deps.pool, settled.row, at.now);
    return endCheck(deps, settled, AWAITS_RECORDS, settled.sentence, { ...at, reported });
  }

  /** Checks whether every record is seen. */
  async function propagate(row: ConnectionRow, at: Attempt, touched: boolean, access: WriteAccess): Promise<Step> {
    const checker = deps.checkerFor(row);
    const subject = subjectOf(row);
    const check = await checking(async () => {
      const records = await checker.records(subject, at.now, at.signal);
      const ordered = await orderFindings(deps.ordering, row, at);
      return { ...records, findings: [...(await rivalsOf(row, records)), ...records.findings, ...ordered] };
    });
    deps.recordCheck('records', check.verdict);
    const moment = at.moment(touched && at.isFirst, deps.random());
    const settled = await settle(deps.pool, row, { purpose: 'records', check, now: at.now }, (fresh) =>
      afterPropagation(fresh, check, moment, access, checker.paceOf(subject)),
    );
    if (check.verdict === 'match' && hasMoved(settled.row, row)) await saveMail(row, at);
    return { ...settled, sentence: check.sentence };
  }

  /** Checks the records of a serving connection once, and its certificate when that is due. */
  async function watch(
    id: string,
    touched: boolean,
    reported?: ReportedStatus,
    seenUntil?: string,
  ): Promise<ConnectionSnapshot> {
    const at = attempt();
    const restMs = seenUntil === undefined || touched ? 0 : Date.parse(seenUntil) - at.now;
    if (restMs > 0) throw retryCheck('The records were seen a moment ago.', restMs);
    const row = await stillProved(deps, await readRow(deps.pool, id), at);
    if (!SERVING.has(row.state)) return snapshotOf(deps.pool, row, at.now);
    const checker = deps.checkerFor(row);
    const subject = { ...subjectOf(row), ...(await mailWritten(deps.pool, row.id)) };
    const { records, certificate } = await checking(async () => ({
      records: await checker.records(subject, at.now, at.signal),
      certificate: await checkCertificate(deps, row, at.now, at.signal),
    }));
    deps.recordCheck('records', records.verdict);
    const rivals = await rivalsOf(row, records);
    const check = { ...records, findings: [...rivals, ...records.findings, ...certificate.findings] };
    const moment = at.moment(touched && at.isFirst, deps.random());
    const settled = await settle(deps.pool, row, { purpose: 'records', check, now: at.now }, (fresh) => {
      const consequence = afterWatch(fresh, check, moment, checker.paceOf(subject));
      return consequence && { ...consequence, also: certificate.change };
    });
    if (hasMoved(settled.row, row)) return snapshotOf(deps.pool, settled.row, at.now);
    return endCheck(deps, settled, SERVING, check.sentence, { ...at, reported });
  }

  /** Whether a check moved the connection to another state, or its change of records to another step. */
  const hasMoved = (after: ConnectionRow, before: ConnectionRow): boolean =>
    after.state !== before.state || after.record_change !== before.record_change;

  /** Returns findings about records that another connection wants differently. They matter only while records are missing. */
  const rivalsOf = async (row: ConnectionRow, { verdict }: RecordsCheck): Promise<Finding[]> =>
    verdict === 'mismatch' ? rivalFindings(row.desired_records, await recordsWantedEarlier(deps.pool, row)) : [];

  /** Saves the mail records of the connection's domain. The widget's email step shows them. */
  async function saveMail(row: ConnectionRow, { now, signal }: Attempt): Promise<void> {
    const mail = await observeAllMail(registrableDomain(row.hostname), deps.lookupFor(row, signal));
    await recordMail(deps.pool, row, mail, new Date(now));
  }

  return { lookForRecords, watch, propagate };
}
