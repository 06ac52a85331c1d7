import { remain, transition, type Change } from '../src/db/transitions.ts';
import type { CertificateOutcome } from '../src/domain/certificate.ts';
import type { Glimpse } from '../src/domain/glimpse.ts';
import { CERTIFICATE_DEADLINE, DAY } from '../src/domain/schedule.ts';
import { attempt, heartbeating } from './attempt.ts';
import type { Deps } from './deps.ts';
import { glimpseOf } from './glimpse-of.ts';
import { lookAgain } from './look-again.ts';
import { movedRow, readRow, withRow } from './rows.ts';

export function certificateActivities(deps: Deps) {
  /** Makes the edge obtain the certificate, once; what blocks it is stored, and said in the failure that asks for another try. */
  async function obtainCertificate(id: string): Promise<Glimpse> {
    const { now, roundMs, signal } = attempt();
    const row = await readRow(deps.pool, id);
    if (row.state !== 'issuing_cert') return glimpseOf(deps.pool, row, now);
    const result = await heartbeating(() => deps.certificatesFor(row).obtain(row.hostname, now, signal));
    const after = await settleCertificate(id, result, new Date(now));
    if (result.outcome !== 'blocked' || after.state !== 'issuing_cert' || roundMs >= DAY) return after;
    throw lookAgain(result.sentence, result.retryAfterMs);
  }

  async function settleCertificate(id: string, result: CertificateOutcome, now: Date): Promise<Glimpse> {
    const after = await withRow(deps.pool, id, async (tx, row) => {
      if (row.state !== 'issuing_cert') return row;
      if (result.outcome !== 'blocked')
        return movedRow(await transition(tx, row, 'certificateSeen', issued(result, now)));
      const waited = now.getTime() - (row.phase_started_at ?? now).getTime();
      const timedOut = waited >= CERTIFICATE_DEADLINE;
      const change = blocked(result, now);
      return movedRow(
        await (timedOut ? transition(tx, row, 'certificateTimedOut', gaveUp(change)) : remain(tx, row, change)),
      );
    });
    return glimpseOf(deps.pool, after, now.getTime());
  }

  return { obtainCertificate };
}

function issued(result: Exclude<CertificateOutcome, { outcome: 'blocked' }>, now: Date): Change {
  const clear = { now, error_code: null, findings: [], last_checked_at: now, next_check_at: now };
  if (result.outcome === 'not_needed') return clear;
  const certificate = { status: 'issued', not_after: result.notAfter.toISOString(), ca: result.ca };
  return {
    ...clear,
    certificate_status: 'issued',
    certificate_not_after: result.notAfter,
    certificate_ca: result.ca,
    eventData: { certificate },
  };
}

const blocked = (result: Extract<CertificateOutcome, { outcome: 'blocked' }>, now: Date): Change => ({
  now,
  reason: result.sentence,
  error_code: result.errorCode,
  findings: result.findings,
  certificate_status: 'pending',
  last_checked_at: now,
  next_check_at: new Date(now.getTime() + result.retryAfterMs),
});

const gaveUp = (change: Change): Change => ({ ...change, error_code: 'cert_failed', certificate_status: 'failed' });
