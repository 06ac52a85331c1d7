import type { Finding } from '../observation/finding.ts';
import type { Proof } from './cname-proof.ts';
import type { State } from './connection.ts';

export interface TakenFacts {
  hostname: string;
  proof: Proof;
  state: State;
  phase_started_at: Date | null;
  unasked_ms: number;
}

/** Explains to the connection that loses its claim why another proof could take it. */
export function takenReason(
  { hostname, proof, state, phase_started_at, unasked_ms }: TakenFacts,
  driftedSince: Date,
): string {
  if (proof === 'cname_target')
    return `Another connection has proved ${hostname} by its TXT record, which outweighs a CNAME.`;
  const hasDriftedLong =
    state === 'drifted' && (phase_started_at?.getTime() ?? 0) + unasked_ms <= driftedSince.getTime();
  return hasDriftedLong
    ? `${hostname} had not pointed here for seven days, and another connection has proved it.`
    : `The domain of ${hostname} is gone or was registered anew, and another connection has proved it.`;
}

export const revokedReason = (hostname: string, target: string): string =>
  `The operator has revoked the target ${target}, whose CNAME proved ${hostname}.`;

export const cnameGoneReason = (hostname: string, target: string): string =>
  `The CNAME from ${hostname} to ${target}, which proved it, is gone.`;

/** Returns the change of a connection that loses its claim: it fails, and is not checked any more. */
export const lostClaim = (hostname: string, reason: string, fix: string) => ({
  reason,
  error_code: 'claim_lost' as const,
  next_check_at: null,
  findings: [
    { code: 'hostname_conflict', severity: 'error', message: reason, fix, params: { hostname } },
  ] satisfies Finding[],
});
