import { DAY } from '../duration.ts';
import type { Verdict } from '../observation/verdict.ts';
import { TTL_DEFAULT, type DnsRecord } from '../record.ts';
import { confirmsFrom, type Pace } from './schedule.ts';

/** How a hostname is proved: by the TXT record, or by its CNAME to an approved target of the tenant. */
export const PROOFS = ['txt', 'cname_target'] as const;
export type Proof = (typeof PROOFS)[number];

export interface ProofFacts {
  proof: Proof;
  proof_checked_at: Date | null;
  /** Since when every answer denies the CNAME; null while none does. */
  proof_missing_since: Date | null;
}

/** Returns the record that an imported connection wants. */
export const targetRecord = (hostname: string, target: string): DnsRecord => ({
  host: hostname,
  type: 'CNAME',
  value: target,
  ttl: TTL_DEFAULT,
  priority: null,
});

/** Whether the proof must be checked again: daily, and with every check while the record seems to be missing. */
export function isProofCheckDue(row: ProofFacts & { mismatch_count: number }, now: number, { speed }: Pace): boolean {
  if (row.proof !== 'cname_target') return false;
  const isSuspect = row.proof_missing_since !== null || row.mismatch_count > 0;
  return isSuspect || now - (row.proof_checked_at?.getTime() ?? 0) >= DAY / speed;
}

/** Result of a check of the CNAME. */
export interface CnameVerdict {
  verdict: Verdict;
  /** Whether servers deny the proof and none confirms it. One stale server of several is a mismatch, but no loss. */
  isGone: boolean;
}

/**
 * Decides what a repeated check of the proof changes. The claim is lost when every answer denied the CNAME for as long
 * as drift takes to be confirmed. A missing answer neither proves nor loses anything.
 */
export function afterProofCheck(
  { proof_missing_since }: Pick<ProofFacts, 'proof_missing_since'>,
  { verdict, isGone }: CnameVerdict,
  now: number,
  pace: Pace,
): { isLost: boolean; change: Partial<ProofFacts> } {
  const checked = { proof_checked_at: new Date(now) };
  if (verdict === 'match') return { isLost: false, change: { ...checked, proof_missing_since: null } };
  if (!isGone) return { isLost: false, change: checked };
  // If the clock was set back, the first denial lies in the future: count it from now.
  const since = Math.min(proof_missing_since?.getTime() ?? now, now);
  const isLost = now - since >= confirmsFrom(pace.confirmations.length, pace);
  return { isLost, change: { ...checked, proof_missing_since: new Date(since) } };
}
