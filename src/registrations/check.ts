import type { Pool } from '../db/pool.ts';
import {
  enrolDomains,
  postponeServer,
  saveRegistration,
  takeDue,
  type DueDomain,
} from '../db/connection/registrations.ts';
import { delegatedDomain } from '../dns/suffix.ts';
import { afterAnswer, expiryWarning, nextCheckAt } from '../domain/connection/registration.ts';
import { MINUTE } from '../domain/duration.ts';
import type { HttpsJson } from '../net/https-json.ts';
import { awaitAllowance, type AllowanceStore } from '../providers/toolkit/rate-limiter.ts';
import { readBootstrap } from './bootstrap.ts';
import { askRegistration, type RdapAnswer } from './rdap.ts';

export interface Registrations {
  pool: Pool;
  bootstrapFile: string;
  http: HttpsJson;
  /** Counts the requests of every server. */
  allowances: AllowanceStore;
  /** Whether the name servers above a domain deny it (NXDOMAIN); null if none of them answered. */
  isDenied(domain: string, signal: AbortSignal): Promise<boolean | null>;
  clock(): Date;
}

/** Domains of a server that are checked in one round: as many as its allowance admits until the next round. */
const CHECKED_TOGETHER = 50;
/** One request a second, without a burst: a window's burst is a quarter of its count, and the rest refills evenly. */
const WINDOWS = [{ count: 4, seconds: 3 }];

/**
 * Checks the registrations that are due, and reports those that end soon. The file is read each time, because IANA's
 * list changes. Several servers are asked at the same time, each for one domain after the other.
 */
export async function checkRegistrations(registrations: Registrations, signal: AbortSignal): Promise<number> {
  const { pool, bootstrapFile, clock } = registrations;
  const serverOf = await readBootstrap(bootstrapFile);
  await enrolDomains(pool, delegatedDomain, serverOf, clock());
  const due = await takeDue(pool, clock(), CHECKED_TOGETHER);
  const byServer = Map.groupBy(due, ({ domain }) => serverOf(domain));
  const rounds = [...byServer].map(([server, domains]) => checkAt(registrations, server, domains, signal));
  const ended = await Promise.allSettled(rounds);
  const failed = ended.find((round) => round.status === 'rejected');
  if (failed !== undefined && !signal.aborted) throw failed.reason;
  return due.length;
}

/** Asks one server about its domains, one after the other, until it should be left alone. */
async function checkAt(
  registrations: Registrations,
  server: string | null,
  domains: readonly DueDomain[],
  signal: AbortSignal,
): Promise<void> {
  const { pool, clock } = registrations;
  for (const { domain, ...before } of domains) {
    const { answer, pauseMs } = server === null ? NO_SERVER : await ask(registrations, server, domain, signal);
    if (answer !== null) {
      const isDenied = answer.outcome === 'not_found' ? await registrations.isDenied(domain, signal) : null;
      const now = clock();
      const known = afterAnswer(before, answer, isDenied, now);
      const warning = answer.outcome === 'found' ? expiryWarning(known.expires_at, now) : null;
      const next_check_at = nextCheckAt(known, now);
      await saveRegistration(pool, domain, { ...known, server, state: answer.outcome, warning, next_check_at, now });
    }
    if (pauseMs > 0) return postponeServer(pool, server, new Date(clock().getTime() + pauseMs));
  }
}

const NO_SERVER: RdapAnswer = { answer: { outcome: 'unknown' }, pauseMs: 0 };

async function ask(
  { http, allowances }: Registrations,
  server: string,
  domain: string,
  signal: AbortSignal,
): Promise<RdapAnswer> {
  const counters = [{ key: `rdap ${server}`, windows: WINDOWS }];
  const admitted = await awaitAllowance(allowances, counters, { patienceMs: MINUTE, signal });
  if (admitted.outcome === 'refused') return { answer: null, pauseMs: admitted.retryAfterSeconds * 1_000 };
  return askRegistration(http, server, domain, signal);
}
