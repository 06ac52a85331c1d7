import type { ConnectionError, SetupType, State, Trigger } from '../connection/connection.ts';
import { recent } from '../connection/due-work.ts';
import { AWAITS_PROOF, SERVING, WRITES_RECORDS } from '../connection/state-sets.ts';
import type { Finding } from '../observation/finding.ts';
import type { Conflict } from './plan.ts';
import type { DnsRecord } from '../record.ts';
import { WRITE_DEADLINE } from '../connection/schedule.ts';

export type WriteOutcome =
  | { outcome: 'written'; credentialId: string; provider: string }
  /** No credential of the application covers the hostname. */
  | { outcome: 'not_ours' }
  /** A retry would fail too, until the tenant or the customer acts. */
  | RefusedWrite
  /** `retryAfterMs` is the time that the provider named; null if it named none. */
  | { outcome: 'later'; sentence: string; retryAfterMs: number | null; credentialId: string };

/** Longest wait before a write is repeated, unless the provider names a longer one. */
const LONGEST_WAIT = 30_000;
const SHORTEST_WAIT = 1_000;

/**
 * Returns when to repeat a write. Many providers answer 5xx to changes that meet others of the same zone, so the first
 * repetitions come soon, at random times so that writers that met do not meet again. `random` is from 0 to 1.
 */
export const untilRepetition = (retryAfterMs: number | null, triedForMs: number, random: number): number =>
  retryAfterMs ?? Math.min(LONGEST_WAIT, Math.max(SHORTEST_WAIT, triedForMs) * (0.5 + random));

export interface RefusedWrite {
  outcome: 'refused';
  errorCode: ConnectionError;
  sentence: string;
  findings: Finding[];
  credentialId: string | null;
}

/** Returns the records to write in a state, if any. A proved hostname needs no challenge, which saves a request. */
export function recordsFor(
  state: State,
  challenge: DnsRecord,
  desired: readonly DnsRecord[],
  isChanging: boolean,
): readonly DnsRecord[] | undefined {
  if (AWAITS_PROOF.has(state)) return [challenge];
  return WRITES_RECORDS.has(state) || (isChanging && SERVING.has(state)) ? desired : undefined;
}

/** Facts about the connection after an attempt to write. Times are in milliseconds. */
export interface WritingConnection {
  state: State;
  phaseStartedAt: number | null;
  /** The credential of the last write or refusal. */
  triedCredential: string | null;
  repairedAt: readonly number[];
}

export interface WriteConsequence {
  trigger: Extract<Trigger, 'written' | 'writeRefused' | 'writeTimedOut'> | null;
  change: {
    reason?: string;
    setup_type: SetupType;
    error_code?: ConnectionError | null;
    findings?: Finding[];
    credential_id?: string | null;
    provider?: string;
    next_check_at: Date;
    repaired_at?: Date[];
  };
}

/** Decides what an attempt changes. Only `dns_writing` has a transition. */
export function consequenceOf(outcome: WriteOutcome, connection: WritingConnection, now: number): WriteConsequence {
  const writing = connection.state === 'dns_writing';
  const next_check_at = new Date(now);
  switch (outcome.outcome) {
    case 'written':
      return {
        trigger: writing ? 'written' : null,
        change: {
          reason: 'The records are written.',
          setup_type: 'automatic',
          error_code: null,
          findings: [],
          credential_id: outcome.credentialId,
          // Two providers can share name servers; the credential that wrote identifies the provider.
          provider: outcome.provider,
          next_check_at,
          ...(connection.state === 'drifted' ? { repaired_at: repairedWith(connection.repairedAt, now) } : {}),
        },
      };
    case 'not_ours':
      return { trigger: writing ? 'writeRefused' : null, change: { setup_type: 'manual', next_check_at } };
    case 'refused':
      return {
        trigger: writing ? 'writeRefused' : null,
        change: {
          reason: outcome.sentence,
          setup_type: 'manual',
          error_code: outcome.errorCode,
          findings: outcome.findings,
          credential_id: outcome.credentialId,
          next_check_at,
        },
      };
    case 'later': {
      const timedOut = writing && now - (connection.phaseStartedAt ?? now) >= WRITE_DEADLINE;
      const failing = { error_code: 'dns_write_failed', credential_id: outcome.credentialId } as const;
      return {
        trigger: timedOut ? 'writeTimedOut' : null,
        change: {
          reason: outcome.sentence,
          setup_type: 'automatic',
          next_check_at: new Date(now + (outcome.retryAfterMs ?? LONGEST_WAIT)),
          ...(!writing || timedOut ? failing : {}),
        },
      };
    }
  }
}

const repairedWith = (repairedAt: readonly number[], now: number): Date[] =>
  [now, ...recent(repairedAt, now)].map((at) => new Date(at));

const FIX: Partial<Record<ConnectionError, string>> = {
  credential_invalid: 'Give the application a new credential for this DNS provider, or add the records manually.',
  credential_missing_zone: 'Use a credential of the account that holds the zone, or add the records manually.',
};

export function refusedWrite(
  credentialId: string,
  errorCode: 'credential_invalid' | 'credential_missing_zone' | 'record_conflict' | 'dns_write_failed',
  sentence: string,
): RefusedWrite {
  const fix = FIX[errorCode] ?? 'Add the records manually.';
  const finding: Finding = { code: errorCode, severity: 'error', message: sentence, fix };
  return { outcome: 'refused', errorCode, sentence, findings: [finding], credentialId };
}

export function conflictingWrite(credentialId: string, conflicts: readonly Conflict[]): RefusedWrite {
  const findings = conflicts.map(({ wanted, found }): Finding => {
    const standing = found.map(({ type, value }) => `${type} ${value}`).join(', ');
    return {
      code: 'record_conflict',
      severity: 'error',
      message: `${wanted.host} already has ${standing}, and we never overwrite records that we did not write.`,
      fix: `Replace it with ${wanted.type} ${wanted.value}, or set conflict_policy to "replace".`,
      record: wanted,
      params: { host: wanted.host, found: standing, value: wanted.value },
    };
  });
  const sentence = findings[0]?.message ?? 'Records conflict.';
  return { outcome: 'refused', errorCode: 'record_conflict', sentence, findings, credentialId };
}
