import type { Finding } from '../observation/finding.ts';
import { DAY } from '../duration.ts';

/** Facts about the credential that wrote, or should write, a connection's records. */
export interface UsedCredential {
  provider: string;
  label: string | null;
  status: 'ok' | 'invalid' | 'unverified';
  reason: string | null;
  expires_at: Date | null;
}

/** Time before a credential's expiry in which we warn: long enough for a holiday. */
const EXPIRY_NOTICE = 21 * DAY;

/** Returns the time before which an expiry is reported. */
export const noticeUntil = (now: Date): Date => new Date(now.getTime() + EXPIRY_NOTICE);

const REPLACE = 'Replace the secret in place (PATCH of the credential): connections continue with the new one.';

/** Returns warnings about a connection's credential before the next repair needs it. Visitors are not affected. */
export function credentialFindings(credential: UsedCredential | null, now: Date): Finding[] {
  if (credential === null) return [];
  const { provider, label, status, reason, expires_at } = credential;
  const name = `The ${provider} credential${label === null ? '' : ` "${label}"`}`;
  if (status === 'invalid') {
    const message = `${name} is refused: ${reason ?? 'the provider does not accept it.'} Drift cannot be repaired with it.`;
    return [{ code: 'credential_invalid', severity: 'warning', message, fix: REPLACE }];
  }
  if (expires_at === null || expires_at >= noticeUntil(now)) return [];
  const day = expires_at.toISOString().slice(0, 10);
  const message = expires_at <= now ? `${name} expired on ${day}.` : `${name} expires on ${day}.`;
  return [{ code: 'credential_expiring', severity: 'warning', message, fix: REPLACE }];
}

/** Returns the finding for a paused provider: nothing is written or removed there until the operator resumes it. */
export const pausedFindings = (provider: string | null): Finding[] =>
  provider === null
    ? []
    : [
        {
          code: 'provider_paused',
          severity: 'warning',
          message: `The operator of this service has paused automatic setup at ${provider}.`,
          fix: 'You can add records manually meanwhile. Our existing records stay.',
        },
      ];
