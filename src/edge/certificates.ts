import { setTimeout as pause } from 'node:timers/promises';
import {
  recordRenewal,
  reserveOrder,
  settleOrder,
  untilNextTry,
  withdrawOrder,
  type Order,
} from '../db/certificate/certificate-orders.ts';
import { isImported, sourceAtEdges, sourceOf } from '../db/certificate/certificates.ts';
import type { Pool } from '../db/pool.ts';
import {
  certificateFinding,
  renewalFindings,
  waitingForOurs,
  type Blocked,
  type CertificateOutcome,
  type Certificates,
  type Doctor,
  type PresentedCertificate,
  type ShownCertificate,
} from '../domain/certificate/certificate.ts';
import { isWildcard } from '../domain/certificate/dns-validation.ts';
import { ERROR_CODES, type ConnectionError } from '../domain/connection/connection.ts';
import { randomBelow, wildcardAbove } from '../domain/hostname.ts';
import type { Finding } from '../domain/observation/finding.ts';
import { untilEveryCopyKnows } from './barrier.ts';
import type { Refusal } from './caddy-log.ts';
import { shakeHands, type Handshake, type TlsAddress } from './handshake.ts';

export interface EdgeAuthority {
  /** Accounts for counting orders, one per certificate authority. Empty for the edge's own CA, which has no limits. */
  accounts: readonly string[];
  /** Returns the reason for a missing certificate, if the edge's log can be read. */
  refusal(hostname: string, sinceMs: number): Promise<Refusal | undefined>;
}

interface Parts {
  pool: Pool;
  address: TlsAddress;
  authority: EdgeAuthority;
  doctor: Doctor;
  registeredDomain(hostname: string): string;
}

/** The edge waits at most a minute for a certificate authority, then drops the client. */
const OBTAIN_LIMIT_MS = 55_000;
const INSPECT_LIMIT_MS = 5_000;
const READ_LOG_EVERY_MS = 500;

/** Creates the source of certificates that the edge obtains at the first handshake, which the worker makes. */
export function edgeCertificates({ pool, address, authority, doctor, registeredDomain }: Parts): Certificates {
  const orderOf = (hostname: string, account: string): Order => ({
    hostname,
    account,
    registeredDomain: registeredDomain(hostname),
  });

  /** Reserves an order at the first CA whose limits allow it. The edge asks the next CA when one refuses. */
  async function reserveAtOne(hostname: string, now: number) {
    const [first = '', ...others] = authority.accounts;
    let order = orderOf(hostname, first);
    let reserved = await reserveOrder(pool, order, now);
    for (const account of others) {
      if (reserved.outcome !== 'limited' || !reserved.anotherHelps) break;
      const another = await reserveOrder(pool, orderOf(hostname, account), now);
      if (another.outcome !== 'limited') [order, reserved] = [orderOf(hostname, account), another];
    }
    return { order, reserved };
  }

  /** Adds who obtained a certificate: ours are known by their serial number. */
  const withSource = async (hostname: string, certificate: PresentedCertificate) => {
    const ours = await sourceOf(pool, hostname, certificate.serial);
    return { ours, shown: { ...certificate, source: ours ?? 'edge', imported: isImported(ours) } };
  };

  const judge = async (hostname: string, tried: Tried, findings: Finding[]): Promise<Issued | Blocked> => {
    const { handshake } = tried;
    if (handshake.outcome !== 'shown' || handshake.problem !== null) return notIssued(hostname, tried, findings);
    const { ours, shown } = await withSource(hostname, handshake.certificate);
    if (shown.names.includes(hostname)) return issued(shown, findings);
    if (isWildcard(hostname)) return waitingForOurs(`The edge does not show the certificate of ${hostname} yet.`);
    const isOfWildcard = ours === null && (await sourceOf(pool, wildcardAbove(hostname), shown.serial)) !== null;
    if (!isOfWildcard) return issued(shown, findings);
    return waitingForOurs(`The edge still shows the certificate of ${wildcardAbove(hostname)} for ${hostname}.`);
  };

  /** Waits until an edge shows a wildcard's certificate. It is ordered or uploaded: an edge obtains none. */
  async function awaitWildcard(hostname: string, warnings: Finding[], isThere: boolean, signal: AbortSignal) {
    if (!isThere)
      return waitingForOurs(`${hostname} waits for its certificate, which is ordered by DNS validation or uploaded.`);
    await untilEveryCopyKnows(pool, { hostname });
    const handshake = await shakeHands(address, serverName(hostname), INSPECT_LIMIT_MS, signal);
    return judge(hostname, { handshake, refusal: undefined }, warnings);
  }

  /** Makes a handshake only with a saved order, and saves the outcome. */
  async function obtainWithin(hostname: string, warnings: Finding[], now: number, signal: AbortSignal) {
    const { order, reserved } = await reserveAtOne(hostname, now);
    if (reserved.outcome !== 'reserved') return notNow(hostname, reserved, now);
    const tried = await tryHandshake(order.hostname, signal);
    const outcome = await judge(order.hostname, tried, warnings);
    if (outcome.outcome === 'issued') {
      await (isNew(tried.handshake, now) ? settleOrder(pool, reserved.id, 'issued') : withdrawOrder(pool, reserved.id));
      return outcome;
    }
    if (outcome.couldNotAsk === true) {
      await withdrawOrder(pool, reserved.id);
      return outcome;
    }
    await settleOrder(pool, reserved.id, 'failed');
    return { ...outcome, retryAfterMs: await untilNextTry(pool, order, now) };
  }

  /** Stops waiting as soon as the edge's log reports a refusal. */
  async function tryHandshake(hostname: string, signal: AbortSignal): Promise<Tried> {
    const began = Date.now();
    const enough = new AbortController();
    const done = AbortSignal.any([signal, enough.signal]);
    const watching = (async () => {
      for (;;) {
        // Most handshakes end within the first pause.
        await pause(READ_LOG_EVERY_MS, undefined, { signal: done }).catch(() => undefined);
        if (done.aborted) return undefined;
        const refusal = await authority.refusal(hostname, began);
        if (refusal) return refusal;
      }
    })();
    void watching.then(() => enough.abort());
    const handshake = await shakeHands(address, hostname, OBTAIN_LIMIT_MS, done);
    enough.abort();
    const isShown = handshake.outcome === 'shown';
    return { handshake, refusal: (await watching) ?? (isShown ? undefined : await authority.refusal(hostname, began)) };
  }

  return {
    async obtain(subject, now, signal) {
      const { hostname } = subject;
      const hasLimits = authority.accounts.length > 0;
      const ours = await sourceAtEdges(pool, hostname, new Date(now));
      const diagnosed = await doctor.examine(subject, now, signal, ours ?? undefined);
      // A certificate that exists needs no order. CAA concerns its renewal.
      const isWarning = ({ code }: Finding) => !hasLimits || (ours !== null && code === 'caa_blocked');
      const findings = diagnosed.map((finding) => (isWarning(finding) ? asWarning(finding) : finding));
      const obstacle = findings.find(({ severity }) => severity === 'error');
      if (obstacle !== undefined) return obstructed(obstacle, findings);
      if (isWildcard(hostname)) return awaitWildcard(hostname, findings, ours !== null, signal);
      // Until then an edge denies the order, because the hostname does not point at it, or shows a wildcard's certificate.
      await untilEveryCopyKnows(pool, { hostname });
      if (hasLimits && ours === null) return obtainWithin(hostname, findings, now, signal);
      return judge(hostname, await tryHandshake(hostname, signal), findings);
    },

    async inspect(subject, now, signal) {
      const { hostname } = subject;
      const ours = await sourceAtEdges(pool, hostname, new Date(now));
      const [diagnosed, handshake] = await Promise.all([
        doctor.examine(subject, now, signal, ours ?? undefined),
        shakeHands(address, serverName(hostname), INSPECT_LIMIT_MS, signal),
      ]);
      const findings = authority.accounts.length === 0 ? diagnosed.map(asWarning) : diagnosed;
      if (handshake.outcome !== 'shown')
        return { shown: null, findings: [...findings, unfinished(hostname, handshake)] };
      const { certificate, problem } = handshake;
      const expired = certificate.notAfter.getTime() <= now;
      const wrong = problem === null || expired ? [] : [untrusted(hostname, problem)];
      const { shown } = await withSource(hostname, certificate);
      // A tenant renews its own certificates.
      const overdue = shown.source === 'uploaded' ? [] : renewalFindings(hostname, certificate, now);
      return { shown, findings: [...findings, ...wrong, ...overdue] };
    },

    async recordRenewal(hostname, now) {
      const [first] = authority.accounts;
      if (first !== undefined) await recordRenewal(pool, orderOf(hostname, first), now);
    },
  };
}

/** Returns the hostname for a handshake: for a wildcard a random one that it alone covers, as visitors ask for. */
const serverName = (hostname: string): string =>
  isWildcard(hostname) ? randomBelow(hostname, crypto.randomUUID()) : hostname;

type Issued = Extract<CertificateOutcome, { outcome: 'issued' }>;

interface Tried {
  handshake: Handshake;
  refusal: Refusal | undefined;
}

/** Whether the certificate is new: an existing one cost no order. Certificate authorities backdate by an hour. */
const isNew = (handshake: Handshake, now: number): boolean =>
  handshake.outcome === 'shown' && handshake.certificate.notBefore.getTime() > now - 2 * 3_600_000;

const asWarning = (finding: Finding): Finding => ({ ...finding, severity: 'warning' });

const issued = (certificate: ShownCertificate, findings: Finding[]): Issued => ({
  outcome: 'issued',
  certificate,
  findings,
});

function notIssued(hostname: string, { handshake, refusal }: Tried, findings: Finding[]): Blocked {
  if (refusal !== undefined) return refused(hostname, refusal, findings);
  if (handshake.outcome === 'shown') {
    const finding = untrusted(hostname, handshake.problem ?? '');
    return blocked('cert_failed', [finding, ...findings]);
  }
  const finding = unfinished(hostname, handshake);
  if (handshake.outcome === 'unfinished') return blocked('cert_failed', [finding, ...findings]);
  return { ...blocked('edge_unreachable', [finding, ...findings]), couldNotAsk: true };
}

const CODE_OF: Partial<Record<string, ConnectionError>> = {
  caa: 'caa_blocked',
  rateLimited: 'ca_rate_limited',
  dnssec: 'dnssec_bogus',
};

function refused(hostname: string, { type, detail }: Refusal, findings: Finding[]): Blocked {
  const code = CODE_OF[type] ?? 'cert_failed';
  const message = `The certificate authority refused ${hostname} (${type}): ${detail}`;
  return blocked(code, [
    certificateFinding('error', message, CODE_OF[type] ? findingCode(code) : 'cert_failed'),
    ...findings,
  ]);
}

const findingCode = (code: ConnectionError) =>
  code === 'caa_blocked' || code === 'ca_rate_limited' || code === 'dnssec_bogus' ? code : 'cert_failed';

function obstructed(obstacle: Finding, findings: Finding[]): Blocked {
  const code = ERROR_CODES.find((known) => known === obstacle.code) ?? 'cert_failed';
  return blocked(code, [obstacle, ...findings.filter((finding) => finding !== obstacle)]);
}

const blocked = (errorCode: ConnectionError, findings: Finding[]): Blocked => ({
  outcome: 'blocked',
  errorCode,
  sentence: findings[0]?.message ?? 'There is no certificate yet.',
  findings,
  retryAfterMs: null,
});

function notNow(
  hostname: string,
  reserved: { outcome: 'limited'; title: string; until: number } | { outcome: 'queued'; until: number },
  now: number,
): Blocked {
  const retryAfterMs = Math.max(1_000, reserved.until - now);
  if (reserved.outcome === 'queued') {
    const sentence = 'Other names are first: the edge orders ten certificates in ten seconds.';
    return { outcome: 'blocked', errorCode: null, sentence, findings: [], retryAfterMs, couldNotAsk: true };
  }
  const again = new Date(reserved.until).toISOString();
  const message = `The certificate authority's limit of ${reserved.title} is used up; ${hostname} is next at ${again}.`;
  const finding: Finding = { ...certificateFinding('warning', message, 'ca_rate_limited'), fix: null };
  return { ...blocked('ca_rate_limited', [finding]), retryAfterMs };
}

const untrusted = (hostname: string, problem: string): Finding =>
  certificateFinding('error', `The edge shows a certificate for ${hostname} that browsers do not accept (${problem}).`);

function unfinished(hostname: string, handshake: Exclude<Handshake, { outcome: 'shown' }>): Finding {
  if (handshake.outcome === 'unfinished')
    return certificateFinding('error', `The edge got no certificate for ${hostname} in time.`);
  const message =
    handshake.outcome === 'refused'
      ? `The edge refused the handshake for ${hostname} (${handshake.reason}): ${isWildcard(hostname) ? 'it does not have the certificate' : 'it could not ask whether it may'}.`
      : `The edge cannot be reached to obtain a certificate for ${hostname} (${handshake.reason}).`;
  return { code: 'edge_unreachable', severity: 'warning', message, fix: null };
}
