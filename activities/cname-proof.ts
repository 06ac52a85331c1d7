import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { isTargetApproved } from '../src/db/connection/cname-targets.ts';
import { remain, transition } from '../src/db/connection/transitions.ts';
import { recordObservation } from '../src/db/observation/observations.ts';
import { subjectOf } from '../src/db/observation/subject.ts';
import { cnameGoneReason, lostClaim, revokedReason } from '../src/domain/connection/claim-loss.ts';
import { afterProofCheck, isProofCheckDue } from '../src/domain/connection/cname-proof.ts';
import { PROVED } from '../src/domain/connection/state-sets.ts';
import type { CnameCheck } from '../src/domain/observation/check.ts';
import type { At } from '../src/domain/step.ts';
import { untilEveryCopyKnows } from '../src/edge/barrier.ts';
import { checking } from './attempt.ts';
import type { Deps } from './deps.ts';
import { movedRow, withRow } from '../src/db/connection/rows.ts';

const nothingAsked = { findings: [], providers: null, nameservers: null, evidence: null, observed: [] };

/** Checks the CNAME of an imported hostname. Without the operator's approval of its target it proves nothing. */
export async function checkTarget(deps: Deps, row: ConnectionRow, at: At): Promise<CnameCheck> {
  const target = targetOf(row);
  if (!(await isTargetApproved(deps.pool, row.tenant_id, target))) {
    const sentence = `The target ${target} is not approved, so a CNAME to it proves nothing.`;
    return { ...nothingAsked, verdict: 'mismatch', isGone: true, sentence };
  }
  if (!deps.cnameProof && !PROVED.has(row.state)) {
    const sentence = 'IMPORT_CNAME_PROOF is off, so no CNAME proves a hostname.';
    return { ...nothingAsked, verdict: 'unknown', isGone: false, sentence };
  }
  return checking(() => deps.checkerFor(row).cname(subjectOf(row), at.now, at.signal));
}

/**
 * Checks the proof of a claim again where its CNAME is the proof and the check is due. Returns the row, which has
 * failed if the claim is lost: the CNAME is gone, or the operator has revoked the target.
 */
export async function stillProved(deps: Deps, row: ConnectionRow, at: At): Promise<ConnectionRow> {
  const target = targetOf(row);
  const pace = deps.checkerFor(row).paceOf(subjectOf(row));
  if (!PROVED.has(row.state) || !isProofCheckDue(row, at.now, pace)) return row;
  const check = await checkTarget(deps, row, at);
  deps.recordCheck('challenge', check.verdict);
  const saved = await withRow(deps.pool, row.id, async (tx, fresh) => {
    if (!PROVED.has(fresh.state) || fresh.proof === 'txt') return fresh;
    const now = new Date(at.now);
    await recordObservation(tx, fresh, 'challenge', check, now);
    const { isLost, change } = afterProofCheck(fresh, check, at.now, pace);
    const isRevoked = !(await isTargetApproved(tx, fresh.tenant_id, target));
    if (!isLost && !isRevoked) return movedRow(await remain(tx, fresh, { now, ...change }));
    const fix = `Verify this connection again once ${row.hostname} has its TXT record, or its CNAME to ${target} again.`;
    const reason = (isRevoked ? revokedReason : cnameGoneReason)(row.hostname, target);
    const lost = lostClaim(row.hostname, reason, fix);
    return movedRow(await transition(tx, fresh, 'claimLost', { now, ...change, ...lost }));
  });
  if (!PROVED.has(saved.state)) await untilEveryCopyKnows(deps.pool, { connectionId: row.id });
  return saved;
}

const targetOf = ({ proof_target }: ConnectionRow): string => proof_target ?? '';
