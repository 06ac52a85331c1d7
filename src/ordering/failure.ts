import type { AcmeError } from '../acme/problem.ts';
import { certificateFinding } from '../domain/certificate/certificate.ts';
import type { Finding, FindingCode } from '../domain/observation/finding.ts';
import { NotYet } from '../domain/step.ts';

/** An order cannot succeed. The finding explains it to the customer. */
export class OrderFailed extends Error {
  override readonly name = 'OrderFailed';
  readonly finding: Finding;
  /** No later order can succeed either, so the edge obtains the certificate. */
  readonly fallsBack: boolean;

  constructor(finding: Finding, { fallsBack = false } = {}) {
    super(finding.message);
    this.finding = finding;
    this.fallsBack = fallsBack;
  }
}

/** Explains a challenge whose name points elsewhere, which we never overwrite. */
export const takenChallenge = (host: string, target: string): OrderFailed =>
  new OrderFailed(
    {
      code: 'acme_challenge_taken',
      severity: 'warning',
      message: `${host} points at ${target}, so another service validates certificates for this hostname.`,
      fix: `Remove the record at ${host} if that service is no longer used. Until then the certificate is issued after the hostname points at us.`,
      params: { host, target },
    },
    { fallsBack: true },
  );

const CODE_OF: Partial<Record<string, FindingCode>> = {
  caa: 'caa_blocked',
  rateLimited: 'ca_rate_limited',
  dnssec: 'dnssec_bogus',
};

/** Explains what a certificate authority (CA) refused. */
export const refusedBy = (hostname: string, type: string, detail: string): OrderFailed =>
  new OrderFailed(
    certificateFinding(
      'error',
      `The certificate authority refused ${hostname} (${type}): ${detail}`,
      CODE_OF[type] ?? 'cert_failed',
    ),
  );

/** Explains a CA that creates no account for us, which only the operator can change. */
export function refusedAccount(error: AcmeError): OrderFailed | NotYet {
  if (error.status >= 500) return new NotYet(error.message, error.retryAfterMs ?? LATER_MS);
  const isMissing = error.type === 'externalAccountRequired';
  const settings = 'ACME_EAB_KID and ACME_EAB_HMAC_KEY';
  return new OrderFailed({
    code: 'cert_failed',
    severity: 'error',
    message: `The certificate authority creates no account for this service (${error.type}): ${error.detail}`,
    fix: `Ask the operator of this service to ${isMissing ? `set ${settings}` : `check ${settings}`}.`,
  });
}

const LATER_MS = 60_000;

/** Turns what a CA answered into a failure of the order, or into a wait where a later request may succeed. */
export function judged(hostname: string, error: AcmeError): OrderFailed | NotYet {
  if (error.status >= 500) return new NotYet(error.message, error.retryAfterMs ?? LATER_MS);
  return refusedBy(hostname, error.type, error.detail);
}
