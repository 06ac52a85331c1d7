import type { ChallengeCheck } from '../observation/check.ts';
import { HOLDS_CLAIM, type State } from './connection.ts';
import type { VerifyOutcome } from './snapshot.ts';

/** What the caller of POST verify is told of a check that left the connection in this state. */
export function verifyOutcome({ verdict, observed }: ChallengeCheck, after: State): VerifyOutcome['outcome'] {
  if (after === 'archived') return 'archived';
  if (verdict === 'unknown') return 'unknown';
  if (verdict === 'match') return HOLDS_CLAIM.has(after) ? 'verified' : 'conflict';
  return observed.length > 0 ? 'mismatch' : 'missing';
}
