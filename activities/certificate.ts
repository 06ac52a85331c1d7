import type { ConnectionRow } from '../src/db/connection-row.ts';
import { subjectOf } from '../src/db/subject.ts';
import { remain, transition, type Change } from '../src/db/transitions.ts';
import type { Blocked, CertificateOutcome } from '../src/domain/certificate.ts';
import type { ConnectionSnapshot } from '../src/domain/snapshot.ts';
import { unaskedAfter } from '../src/domain/judgement.ts';
import { CERTIFICATE_DEADLINE, DAY, untilNextLook } from '../src/domain/schedule.ts';
import { attempt, heartbeating } from './attempt.ts';
import type { Deps } from './deps.ts';
import { snapshotOf } from './snapshot.ts';
import { lookAgain } from './look-again.ts';
import { movedRow, readRow, withRow } from './rows.ts';

export function certificateActivities(deps: Deps) {
  /** Makes the edge obtain the certificate, once; what blocks it is stored, and said in the failure that asks for another try. */
  async function obtainCertificate(id: string): Promise<ConnectionSnapshot> {
    const { now, roundMs, signal } = attempt();
    const row = await readRow(deps.pool, id);
    if (row.state !== 'issuing_cert') return snapshotOf(deps.pool, row, now);
    const result = await heartbeating(() => deps.certificatesFor(row).obtain(subjectOf(row), now, signal));
    signal.throwIfAborted();
    const waitMs = result.outcome === 'blocked' ? waitAfter(result, row, now) : 0;
    const after = await settleCertificate(id, result, new Date(now), waitMs);
    if (result.outcome !== 'blocked' || after.state !== 'issuing_cert' || roundMs >= DAY) return after;
    throw lookAgain(result.sentence, waitMs);
  }

  async function settleCertificate(
    id: string,
    result: CertificateOutcome,
    now: Date,
    waitMs: number,
  ): Promise<ConnectionSnapshot> {
    const after = await withRow(deps.pool, id, async (tx, row) => {
      if (row.state !== 'issuing_cert') return row;
      if (result.outcome !== 'blocked')
        return movedRow(await transition(tx, row, 'certificateSeen', issued(result, now)));
      const change = { ...blocked(result, now, waitMs), unasked_ms: unaskedWith(result, row, now.getTime()) };
      const counted = now.getTime() - (row.phase_started_at ?? now).getTime() - change.unasked_ms;
      const timedOut = counted >= CERTIFICATE_DEADLINE;
      return movedRow(
        await (timedOut ? transition(tx, row, 'certificateTimedOut', gaveUp(change)) : remain(tx, row, change)),
      );
    });
    return snapshotOf(deps.pool, after, now.getTime());
  }

  return { obtainCertificate };
}

const waitAfter = ({ retryAfterMs }: Blocked, row: ConnectionRow, now: number): number =>
  retryAfterMs ?? untilNextLook(now - (row.phase_started_at?.getTime() ?? now), false);

/** While nobody could be asked, the deadline stands still. */
const unaskedWith = ({ couldNotAsk = false }: Blocked, row: ConnectionRow, now: number): number =>
  unaskedAfter(
    row.unasked_ms,
    row.phase_started_at?.getTime() ?? now,
    row.last_checked_at?.getTime() ?? null,
    couldNotAsk ? 'unknown' : 'mismatch',
    now,
  );

function issued(result: Exclude<CertificateOutcome, Blocked>, now: Date): Change {
  const clear = { now, error_code: null, findings: [], last_checked_at: now, next_check_at: now };
  if (result.outcome === 'not_needed') return clear;
  const certificate = { status: 'issued', not_after: result.notAfter.toISOString(), ca: result.ca };
  return {
    ...clear,
    findings: result.findings ?? [],
    certificate_status: 'issued',
    certificate_not_after: result.notAfter,
    certificate_ca: result.ca,
    certificate_checked_at: now,
    eventData: { certificate },
  };
}

const blocked = (result: Blocked, now: Date, waitMs: number): Change => ({
  now,
  reason: result.sentence,
  error_code: result.errorCode,
  findings: result.findings,
  certificate_status: 'pending',
  last_checked_at: now,
  next_check_at: new Date(now.getTime() + waitMs),
});

const gaveUp = (change: Change): Change => ({ ...change, error_code: 'cert_failed', certificate_status: 'failed' });
