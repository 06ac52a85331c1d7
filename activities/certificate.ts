import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { subjectOf } from '../src/db/observation/subject.ts';
import { remain, transition } from '../src/db/connection/transitions.ts';
import { whyBlocked } from '../src/db/edge/blocked.ts';
import { afterCertificate } from '../src/domain/certificate/after-certificate.ts';
import { blockedCertificate, type CertificateOutcome } from '../src/domain/certificate/certificate.ts';
import type { ConnectionSnapshot, ReportedStatus } from '../src/domain/connection/snapshot.ts';
import { DAY } from '../src/domain/duration.ts';
import { statusLine } from '../src/domain/connection/outlook.ts';
import { attempt, heartbeating, isNews } from './attempt.ts';
import type { Deps } from './deps.ts';
import { snapshotOf } from './snapshot.ts';
import { retryCheck } from './retry-check.ts';
import { movedRow, readRow, withRow } from './rows.ts';

export function certificateActivities(deps: Deps) {
  /** Makes the edge obtain the certificate, once. An obstacle is stored on the row and named in the failure. */
  async function obtainCertificate(id: string, reported?: ReportedStatus): Promise<ConnectionSnapshot> {
    const { now, roundMs, signal } = attempt();
    const row = await readRow(deps.pool, id);
    if (row.state !== 'issuing_cert') return snapshotOf(deps.pool, row, now);
    const result = await heartbeating(() => obtain(row, now, signal));
    signal.throwIfAborted();
    const { waitMs } = afterCertificate(row, result, now);
    const settled = await withRow(deps.pool, id, async (tx, fresh) => {
      if (fresh.state !== 'issuing_cert') return fresh;
      const { move, change } = afterCertificate(fresh, result, now);
      return movedRow(await (move === null ? remain(tx, fresh, change) : transition(tx, fresh, move, change)));
    });
    if (settled.state === 'live' && row.live_at === null)
      deps.recordLive(Math.max(0, now - row.created_at.getTime()) / 1_000);
    const after = await snapshotOf(deps.pool, settled, now);
    const roundIsOver = roundMs >= DAY || isNews(reported, after, roundMs);
    if (result.outcome !== 'blocked' || after.state !== 'issuing_cert' || roundIsOver) return after;
    throw retryCheck(statusLine(result.sentence, settled), waitMs);
  }

  /** Does not ask the edge for a blocked hostname: the edge would refuse, and the order would count as a failure. */
  async function obtain(row: ConnectionRow, now: number, signal: AbortSignal): Promise<CertificateOutcome> {
    const blocked = await whyBlocked(deps.pool, row);
    if (blocked !== null) return blockedCertificate(blocked);
    return deps.certificatesFor(row).obtain(subjectOf(row), now, signal);
  }

  return { obtainCertificate };
}
