import { AWAITS_RECORDS, SERVING } from '../src/domain/connection/state-sets.ts';
import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { recordMail } from '../src/db/observation/mail.ts';
import { registrableDomain } from '../src/dns/suffix.ts';
import { mailWritten } from '../src/db/zone/ledger.ts';
import { subjectOf } from '../src/db/observation/subject.ts';
import { afterPropagation, afterWatch } from '../src/domain/connection/consequence.ts';
import type { ConnectionSnapshot, ReportedStatus } from '../src/domain/connection/snapshot.ts';
import { observeAllMail } from '../src/domain/email/observe-mail.ts';
import { orderFindings } from '../src/ordering/ensure.ts';
import { attempt, checking, endCheck } from './attempt.ts';
import { checkCertificate } from './certificate-health.ts';
import type { Deps } from './deps.ts';
import { snapshotOf, writeAccessOf } from './snapshot.ts';
import { readRow } from './rows.ts';
import { settle } from './settle.ts';

export function recordActivities(deps: Deps) {
  async function lookForRecords(id: string, touched: boolean, reported?: ReportedStatus): Promise<ConnectionSnapshot> {
    const at = attempt();
    const row = await readRow(deps.pool, id);
    if (!AWAITS_RECORDS.has(row.state)) return snapshotOf(deps.pool, row, at.now);
    const checker = deps.checkerFor(row);
    const subject = subjectOf(row);
    const check = await checking(async () => {
      const records = await checker.records(subject, at.now, at.signal);
      return { ...records, findings: [...records.findings, ...(await orderFindings(deps.ordering, row, at))] };
    });
    deps.recordCheck('records', check.verdict);
    const moment = at.moment(touched && at.isFirst, deps.random());
    const access = await writeAccessOf(deps.pool, row);
    const settled = await settle(deps.pool, id, { purpose: 'records', check, now: at.now }, (fresh) =>
      afterPropagation(fresh, check, moment, access, checker.paceOf(subject)),
    );
    if (settled.row.state !== row.state) {
      if (check.verdict === 'match') await saveMail(row, at);
      return snapshotOf(deps.pool, settled.row, at.now);
    }
    return endCheck(deps, settled, AWAITS_RECORDS, check.sentence, { ...at, reported });
  }

  /** Checks the records of a serving connection once, and its certificate when that is due. */
  async function watch(id: string, touched: boolean, reported?: ReportedStatus): Promise<ConnectionSnapshot> {
    const at = attempt();
    const row = await readRow(deps.pool, id);
    if (!SERVING.has(row.state)) return snapshotOf(deps.pool, row, at.now);
    const checker = deps.checkerFor(row);
    const subject = { ...subjectOf(row), ...(await mailWritten(deps.pool, row.id)) };
    const { records, certificate } = await checking(async () => ({
      records: await checker.records(subject, at.now, at.signal),
      certificate: await checkCertificate(deps, row, at.now, at.signal),
    }));
    deps.recordCheck('records', records.verdict);
    const check = { ...records, findings: [...records.findings, ...certificate.findings] };
    const moment = at.moment(touched && at.isFirst, deps.random());
    const settled = await settle(deps.pool, id, { purpose: 'records', check, now: at.now }, (fresh) => {
      const consequence = afterWatch(fresh, check, moment, checker.paceOf(subject));
      return consequence && { ...consequence, also: certificate.change };
    });
    if (settled.row.state !== row.state) return snapshotOf(deps.pool, settled.row, at.now);
    return endCheck(deps, settled, SERVING, check.sentence, { ...at, reported });
  }

  /** Saves the mail records of the connection's domain. The widget's email step shows them. */
  async function saveMail(row: ConnectionRow, { now, signal }: ReturnType<typeof attempt>): Promise<void> {
    const mail = await observeAllMail(registrableDomain(row.hostname), deps.lookupFor(row, signal));
    await recordMail(deps.pool, row, mail, new Date(now));
  }

  return { lookForRecords, watch };
}
