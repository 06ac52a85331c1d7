import type { ConnectionError, State } from './connection.ts';
import { HOUR, MINUTE, SECOND } from '../duration.ts';
import type { Finding } from '../observation/finding.ts';
import type { Conflict, Plan } from '../zone/plan.ts';
import { isOneOf, type Named } from '../zone/zone-record.ts';
import { AWAITS_RECORDS } from './state-sets.ts';

/** Every state of a cutover. `planned` is a dry run, and the last four are its ends. */
export const CUTOVER_STATES = [
  'planned',
  'waiting_for_ttl',
  'probing',
  'moving',
  'observing',
  'done',
  'reverted',
  'cancelled',
  'failed',
] as const;
export type CutoverState = (typeof CUTOVER_STATES)[number];

export const CUTOVER_OUTCOMES = ['done', 'reverted', 'cancelled', 'failed'] as const;
export type CutoverOutcome = (typeof CUTOVER_OUTCOMES)[number];

export const IN_PROGRESS = ['waiting_for_ttl', 'probing', 'moving', 'observing'] as const satisfies CutoverState[];
export const isInProgress = (state: CutoverState): boolean => (IN_PROGRESS as readonly CutoverState[]).includes(state);

/** A record that a cutover removes or adds. */
export type MovedRecord = Named & { ttl: number };

/** The change of the zone that a caller consents to. */
export interface CutoverPlan {
  provider: string;
  zone: string;
  removes: readonly MovedRecord[];
  adds: readonly MovedRecord[];
}

/** Facts of a connection that decide whether it can be cut over. */
export interface CutoverSubject {
  hostname: string;
  state: State;
  point: 'auto' | 'hold';
  ready_to_point: boolean;
  error_code: ConnectionError | null;
}

/** Returns why a connection cannot be cut over now; null if it can. */
export function whyNoCutover({ hostname, state, point, ready_to_point, error_code }: CutoverSubject): string | null {
  if (AWAITS_RECORDS.has(state) && error_code === 'record_conflict') return null;
  if (state !== 'dns_writing' || point !== 'hold')
    return `${hostname} neither holds (point: "hold") nor waits because of conflicting records (error_code record_conflict).`;
  return ready_to_point ? null : `The certificate of ${hostname} is not there yet. Wait until ready_to_point is true.`;
}

/** Returns the part of a plan that a caller consents to. */
export const cutoverPlanOf = (
  at: { provider: string; zone: string },
  { removals, creates, restores }: Plan,
): CutoverPlan => ({
  ...at,
  removes: removals.map(moved),
  adds: [...restores, ...creates.map(({ record }) => record)].map(moved),
});

const moved = ({ host, type, value, ttl, priority }: MovedRecord): MovedRecord => ({
  host,
  type,
  value,
  ttl,
  priority,
});

/** Explains why the records cannot be replaced even with the caller's consent. */
export const conflictText = ({ wanted, found }: Conflict): string =>
  `${wanted.type} ${wanted.host} cannot be written next to ${found.map(({ type, value }) => `${type} ${value}`).join(', ')}.`;

/** Whether two plans change the same values. The TTL is no part of a value. */
export const isSamePlan = (a: CutoverPlan, b: CutoverPlan): boolean =>
  a.zone === b.zone && isPartOf(a, b) && isPartOf(b, a);

/** Whether a plan changes nothing beyond another one. */
export const isPartOf = (part: Pick<CutoverPlan, 'removes' | 'adds'>, whole: CutoverPlan): boolean =>
  part.removes.every((record) => isOneOf(record, whole.removes)) &&
  part.adds.every((record) => isOneOf(record, whole.adds));

/** A GET request for the site, and the answer that it must get. */
export interface Probe {
  path: string;
  /** Null: any status from 200 to 399. */
  expect_status: number | null;
  expect_text: string | null;
}

/** Result of one probe. `unknown`: no verdict, for example because a resolver still has the old record. */
export interface ProbeResult {
  at: string;
  /** `edge`: the edge itself. `dns`: the address that resolvers return. */
  via: 'edge' | 'dns';
  address: string | null;
  status: number | null;
  verdict: 'ok' | 'failed' | 'unknown';
  message: string | null;
}

/** Returns what is wrong with a response; null if it is as expected. */
export function wrongWith({ expect_status, expect_text }: Probe, status: number, text: string): string | null {
  if (expect_status === null ? status < 200 || status > 399 : status !== expect_status)
    return `The site answered ${status} instead of ${expect_status ?? '200 to 399'}.`;
  if (expect_text === null || text.includes(expect_text)) return null;
  return `The site answered ${status}, without the expected text.`;
}

const KEPT = 20;
const FAILURES = 3;

export const withProbe = (probes: readonly ProbeResult[], probe: ProbeResult): ProbeResult[] =>
  [...probes, probe].slice(-KEPT);

/** Whether the site fails: three probes in a row did. Probes without a verdict do not interrupt the row. */
export function isFailing(probes: readonly ProbeResult[], via: ProbeResult['via']): boolean {
  const known = probes.filter((probe) => probe.via === via && probe.verdict !== 'unknown').slice(-FAILURES);
  return known.length === FAILURES && known.every(({ verdict }) => verdict === 'failed');
}

/** Time for which a resolver can have the old answer. Where nothing was published, it can have that (RFC 2308). */
export const cachedFor = ({ removes }: CutoverPlan): number =>
  Math.max(5 * MINUTE, ...removes.map(({ ttl }) => ttl * SECOND));

/** Time without a successful probe after which a cutover is reverted, in addition to its usual times. */
const PATIENCE = 10 * MINUTE;

export interface Observed {
  plan: CutoverPlan;
  probes: readonly ProbeResult[];
  moved_at: Date | null;
  observe_for: number;
}

/** Decides what the newest probe means: the cutover is done, is reverted, or is observed further. */
export function judgeObserved(
  { plan, probes, moved_at, observe_for }: Observed,
  now: number,
): 'done' | 'reverted' | 'observing' {
  if (isFailing(probes, 'dns')) return 'reverted';
  const sinceMs = now - (moved_at?.getTime() ?? now);
  if (sinceMs < observe_for * SECOND) return 'observing';
  if (probes.at(-1)?.verdict === 'ok') return 'done';
  return sinceMs >= observe_for * SECOND + cachedFor(plan) + PATIENCE ? 'reverted' : 'observing';
}

/** Time until the next probe: shortly after a failure, and less often as time passes. */
export function untilNextProbe({ probes, moved_at }: Pick<Observed, 'probes' | 'moved_at'>, now: number): number {
  if (probes.at(-1)?.verdict === 'failed') return 2 * SECOND;
  const sinceMs = now - (moved_at?.getTime() ?? now);
  return sinceMs < 10 * MINUTE ? 5 * SECOND : sinceMs < HOUR ? 15 * SECOND : MINUTE;
}

/** Explains why the old records are back. */
export const revertedFinding = (hostname: string, reason: string): Finding => ({
  code: 'cutover_reverted',
  severity: 'warning',
  message: `The cutover of ${hostname} was reverted, and the old records are back. ${reason}`,
  fix: 'Fix the site behind this service, then start another cutover.',
});
