import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { subjectOf } from '../src/db/observation/subject.ts';
import { save } from '../src/db/connection/save.ts';
import { whyBlocked } from '../src/db/edge/blocked.ts';
import { afterCertificate } from '../src/domain/certificate/after-certificate.ts';
import { blockedCertificate, type CertificateOutcome } from '../src/domain/certificate/certificate.ts';
import { isWildcard } from '../src/domain/certificate/dns-validation.ts';
import type { ConnectionSnapshot, ReportedStatus } from '../src/domain/connection/snapshot.ts';
import { DAY } from '../src/domain/duration.ts';
import { statusLine } from '../src/domain/connection/outlook.ts';
import { orderFindings } from '../src/ordering/ensure.ts';
import { attempt, heartbeating, isNews, type Attempt } from './attempt.ts';
import type { Deps } from './deps.ts';
import { stillProved } from './cname-proof.ts';
import { snapshotOf } from './snapshot.ts';
import { retryCheck } from './retry-check.ts';
import { readRow } from '../src/db/connection/rows.ts';
import type { Step } from './settle.ts';

export function certificateActivities(deps: Deps) {
  /** Makes the edge try once to obtain the certificate. If that fails, the row and the failure contain the reason. */
  async function obtainCertificate(id: string, reported?: ReportedStatus): Promise<ConnectionSnapshot> {
    const at = attempt();
    const { now, roundMs } = at;
    const row = await stillProved(deps, await readRow(deps.pool, id), at);
    if (row.state !== 'issuing_cert') return snapshotOf(deps.pool, row, now);
    const { row: saved, waitMs, sentence } = await heartbeating(() => secure(row, at));
    const after = await snapshotOf(deps.pool, saved, now);
    // A round, which is this activity with all of its attempts, ends after a day or to show operators a changed status.
    const roundIsOver = roundMs >= DAY || isNews(reported, after, roundMs);
    if (waitMs === null || after.state !== 'issuing_cert' || roundIsOver) return after;
    throw retryCheck(statusLine(sentence, saved), waitMs);
  }

  /** Makes the edge try once, and saves the result. The CA can take seconds, so the result has the time of its end. */
  async function secure(row: ConnectionRow, begun: Attempt): Promise<Step> {
    const result = await obtain(row, begun.now, begun.signal);
    begun.signal.throwIfAborted();
    const { now } = begun.later();
    const pace = deps.checkerFor(row).paceOf(subjectOf(row));
    const moment = { now, random: deps.random() };
    const { waitMs } = afterCertificate(row, result, moment, pace);
    const saved = await save(deps.pool, row, (fresh) => {
      if (fresh.state !== 'issuing_cert') return undefined;
      const { move: trigger, change } = afterCertificate(fresh, result, moment, pace);
      return { moves: [{ trigger, change }] };
    });
    // Measures the time from creation until the connection is live for the first time.
    if (saved.state === 'live' && row.live_at === null)
      deps.recordLive(Math.max(0, now - row.created_at.getTime()) / 1_000);
    return result.outcome === 'blocked'
      ? { row: saved, waitMs, sentence: result.sentence }
      : { row: saved, waitMs: null, sentence: '' };
  }

  /**
   * Asks the edge for the certificate, unless the operator has blocked the hostname or suspended the tenant. The edge
   * would refuse then, and the certificate order would count as a failure.
   */
  async function obtain(row: ConnectionRow, now: number, signal: AbortSignal): Promise<CertificateOutcome> {
    const blocked = await whyBlocked(deps.pool, row);
    if (blocked !== null) return blockedCertificate(blocked);
    const findings = isWildcard(row.hostname) ? await orderFindings(deps.ordering, row, { now, signal }) : [];
    // The subject is the part of the row that checks of DNS and certificates need.
    const outcome = await deps.certificatesFor(row).obtain(subjectOf(row), now, signal);
    return outcome.outcome === 'blocked' ? { ...outcome, findings: [...findings, ...outcome.findings] } : outcome;
  }

  return { obtainCertificate, secure };
}
