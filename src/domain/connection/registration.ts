import { DAY } from '../duration.ts';
import type { Finding } from '../observation/finding.ts';

/** The answer of a registry about a domain. `unknown`: it did not answer the question. */
export type RegistrationAnswer =
  | { outcome: 'found'; registered_at: Date | null; expires_at: Date | null }
  | { outcome: 'not_found' }
  | { outcome: 'unknown' };

/** A domain's registration as far as it is known. Answers change it; silence does not. */
export interface Registration {
  registered_at: Date | null;
  expires_at: Date | null;
  /** First day, and number of days, on which the registry did not know the domain and DNS denied it. */
  missing_since: Date | null;
  missing_days: number;
  answered_at: Date | null;
}

const NOT_MISSING = { missing_since: null, missing_days: 0 };

/** Days without a registration after which a domain is gone. The function `is_domain_lost` has the same number. */
export const GONE_AFTER_DAYS = 7;

/**
 * Returns the registration after an answer. `isDenied` is the answer of the name servers above the domain: true for
 * NXDOMAIN, null if none answered. A registry that does not know a domain which DNS has is no reason to doubt it.
 */
export function afterAnswer(
  before: Registration,
  answer: RegistrationAnswer,
  isDenied: boolean | null,
  now: Date,
): Registration {
  if (answer.outcome === 'unknown') return before;
  const answered = { ...before, answered_at: now };
  if (answer.outcome === 'found') {
    const { registered_at, expires_at } = answer;
    return { ...answered, registered_at, expires_at, ...NOT_MISSING };
  }
  if (isDenied === null) return answered;
  if (!isDenied) return { ...answered, ...NOT_MISSING };
  const since = before.missing_since;
  if (since === null) return { ...answered, missing_since: now, missing_days: 1 };
  // Two answers within a day count as one.
  const dayOfAnswer = (at: Date) => Math.floor((at.getTime() - since.getTime()) / DAY);
  const isNewDay = dayOfAnswer(now) > dayOfAnswer(before.answered_at ?? since);
  return { ...answered, missing_days: before.missing_days + (isNewDay ? 1 : 0) };
}

/** Days before the end of a registration at which `domain.expiring` is sent. */
export const EXPIRY_WARNINGS = [30, 7, 1] as const;

/** Returns the last of these days that has been reached; null long before the end, and after it. */
export function expiryWarning(expiresAt: Date | null, now: Date): number | null {
  const leftMs = expiresAt === null ? Infinity : expiresAt.getTime() - now.getTime();
  return leftMs <= 0 ? null : (EXPIRY_WARNINGS.findLast((days) => leftMs <= days * DAY) ?? null);
}

/** Returns the time of the next check: a day later, or when the next warning is due. */
export function nextCheckAt({ expires_at }: Registration, now: Date): Date {
  const warnings = expires_at === null ? [] : EXPIRY_WARNINGS.map((days) => expires_at.getTime() - days * DAY);
  const tomorrow = now.getTime() + DAY;
  return new Date(Math.min(tomorrow, ...warnings.filter((at) => at > now.getTime())));
}

/** Returns why a domain may have another owner than the one who proved it; null if nothing indicates that. */
export function lossOf(
  { registered_at, missing_days }: Registration,
  provedAt: Date | null,
): 'registered_anew' | 'domain_gone' | null {
  if (missing_days >= GONE_AFTER_DAYS) return 'domain_gone';
  return registered_at !== null && provedAt !== null && registered_at > provedAt ? 'registered_anew' : null;
}

export interface RegistrationFacts extends Registration {
  domain: string;
  proved_at: Date | null;
}

/** Returns warnings for the tenant, as of the registry's last answer. A registry that is silent causes none. */
export function registrationFindings(known: RegistrationFacts | null): Finding[] {
  if (known?.answered_at == null) return [];
  const { domain, expires_at, registered_at, missing_since, proved_at } = known;
  const loss = lossOf(known, proved_at);
  if (loss === 'domain_gone')
    return [
      warning(
        loss,
        { domain, since: dayOf(missing_since) },
        `The registry has not known ${domain} since ${dayOf(missing_since)}, and its name servers deny it.`,
        `Ask the owner of ${domain} to register it again, or archive the connection. ${UNTIL_THEN}`,
      ),
    ];
  const anew =
    loss === null
      ? []
      : [
          warning(
            loss,
            { domain, registered: dayOf(registered_at), proved: dayOf(proved_at) },
            `${domain} was registered anew on ${dayOf(registered_at)}, after its ownership was proved on ${dayOf(proved_at)}. It may have another owner.`,
            `If your customer still owns ${domain}, connect the hostname again to renew the proof. If not, archive the connection. ${UNTIL_THEN}`,
          ),
        ];
  const isEnding =
    expires_at !== null && expires_at.getTime() - known.answered_at.getTime() <= EXPIRY_WARNINGS[0] * DAY;
  if (!isEnding) return anew;
  const verb = expires_at > known.answered_at ? 'ends' : 'ended';
  return [
    ...anew,
    warning(
      'domain_expiring',
      { domain, expires: dayOf(expires_at) },
      `The registration of ${domain} ${verb} on ${dayOf(expires_at)}.`,
      `Ask the owner of ${domain} to renew it at the registrar.`,
    ),
  ];
}

const UNTIL_THEN = 'Until then, anyone who proves the hostname can claim it.';

const dayOf = (date: Date | null): string => date?.toISOString().slice(0, 10) ?? '';

const warning = (code: Finding['code'], params: Finding['params'], message: string, fix: string): Finding => ({
  code,
  severity: 'warning',
  message,
  fix,
  ...(params && { params }),
});
