import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { getConnection, lockConnection } from '../db/connection/connections.ts';
import { remain, transition } from '../db/connection/transitions.ts';
import { enqueue } from '../db/outbox.ts';
import type { Tx } from '../db/pool.ts';
import { coveringCredential } from '../db/zone/credentials.ts';
import { beginStep, decideCutover, recordSent, saveProbes, type CutoverRow } from '../db/zone/cutovers.ts';
import { baseOf, isWildcard } from '../domain/certificate/dns-validation.ts';
import {
  cachedFor,
  cutoverPlanOf,
  isFailing,
  isPartOf,
  isSamePlan,
  judgeObserved,
  untilNextProbe,
  withProbe,
  type CutoverState,
  type ProbeResult,
} from '../domain/connection/cutover.ts';
import { writtenRecords } from '../domain/connection/edge-addresses.ts';
import { SECOND } from '../domain/duration.ts';
import { PROVED, WRITES_RECORDS } from '../domain/connection/state-sets.ts';
import { isOneOf, type NewTtl } from '../domain/zone/zone-record.ts';
import { consequenceOf, type WriteOutcome } from '../domain/zone/write-outcome.ts';
import { NotYet, type At, type StepResult } from '../domain/step.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { ProviderAccess } from '../provisioning/account.ts';
import { asProviderError } from '../provisioning/deadline.ts';
import type { RequestPlan } from '../provisioning/plan.ts';
import { writeToZone } from '../provisioning/write.ts';
import { probeEdge, probeResolved, type ProbeAccess } from './probe.ts';
import { retime } from './zone.ts';

export interface Cutting {
  providerAccess: ProviderAccess;
  probes: ProbeAccess;
}

/** A cutover in progress. */
export interface InProgress extends At {
  cutover: CutoverRow;
  row: ConnectionRow;
}

/** A step found that the cutover must end. */
export class CutoverEnds extends Error {
  override readonly name = 'CutoverEnds';
  readonly outcome: 'done' | 'reverted' | 'cancelled' | 'failed';

  constructor(outcome: CutoverEnds['outcome'], reason: string) {
    super(reason);
    this.outcome = outcome;
  }
}

export interface Step {
  state: Extract<CutoverState, 'waiting_for_ttl' | 'probing' | 'moving' | 'observing'>;
  run(cutting: Cutting, at: InProgress): Promise<void>;
}

/** Runs a step. Each step reads what the database and the zone hold, so it can be repeated after a crash. */
export async function runStep(cutting: Cutting, id: string, { state, run }: Step, at: At): Promise<StepResult> {
  const { pool } = cutting.providerAccess;
  const cutover = await beginStep(pool, id, state);
  if (cutover === null) return 'ended';
  const row = await getConnection(pool, cutover.connection_id);
  try {
    if (row === null || !PROVED.has(row.state))
      throw new CutoverEnds('cancelled', 'The connection no longer holds its hostname.');
    await run(cutting, { cutover, row, ...at });
    return 'done';
  } catch (error) {
    if (!(error instanceof CutoverEnds)) throw error;
    await decideCutover(pool, id, error.outcome, error.outcome === 'done' ? null : error.message);
    return 'ended';
  }
}

/** Lowers the TTLs of the records that will be replaced, and waits until no resolver has them with the old TTL. */
export const lowerTtls: Step = {
  state: 'waiting_for_ttl',
  async run({ providerAccess }, { cutover, row, now, signal }) {
    const { lower_ttl, plan } = cutover;
    const high = lower_ttl === null ? [] : plan.removes.filter(({ ttl }) => ttl > lower_ttl);
    if (lower_ttl === null || high.length === 0) return;
    const ttls = high.map(({ host, type }) => ({ host, type, ttl: lower_ttl }));
    await recordSent(providerAccess.pool, cutover.id, 'lowered', new Date(now));
    const problem = await setTtls(providerAccess, row, ttls, signal);
    if (problem !== null) throw new CutoverEnds('failed', problem);
    const until = (cutover.lowered_at?.getTime() ?? now) + Math.max(...high.map(({ ttl }) => ttl)) * SECOND;
    if (now < until) throw new NotYet('Waiting until resolvers know the lower TTLs.', until - now);
  },
};

/** Sets TTLs in the connection's zone. Returns why it is impossible; null if it is done. */
export async function setTtls(
  providerAccess: ProviderAccess,
  row: ConnectionRow,
  ttls: readonly NewTtl[],
  signal: AbortSignal,
): Promise<string | null> {
  const credential = await coveringCredential(providerAccess.pool, row.application_id, row.hostname);
  if (credential === null) return `No credential of the application covers ${row.hostname}.`;
  try {
    return await retime(providerAccess, credential, row.hostname, { ttls, signal });
  } catch (thrown) {
    const error = asProviderError(thrown, credential.provider);
    if (!(error instanceof ProviderError)) throw error;
    if (error.retryable) throw new NotYet(error.message, (error.retryAfterSeconds ?? 10) * SECOND);
    return error.message;
  }
}

/** Requests the site from the edge before anything moves. */
export const probeBefore: Step = {
  state: 'probing',
  async run({ providerAccess, probes }, { cutover, row, now, signal }) {
    const asked = { hostname: probedName(row), probe: cutover.probe, signal };
    const result = resultOf('edge', await probeEdge(probes, asked), now);
    const all = withProbe(cutover.probes, result);
    await saveProbes(providerAccess.pool, cutover.id, all);
    if (result.verdict === 'ok') return;
    const reason = result.message ?? 'The site did not answer.';
    if (isFailing(all, 'edge'))
      throw new CutoverEnds('failed', `Nothing was moved, because the edge does not serve the site. ${reason}`);
    throw new NotYet(reason, 2 * SECOND);
  },
};

/** Replaces the records, exactly as planned, and lets the connection continue as after any other write. */
export const moveRecords: Step = {
  state: 'moving',
  async run({ providerAccess }, { cutover, row, now, signal }) {
    const { pool } = providerAccess;
    const at = new Date(now);
    const desired = writtenRecords(row.desired_records, providerAccess.edge);
    const outcome = await writeToZone(providerAccess, row, desired, {
      policy: 'replace',
      now: at,
      signal,
      guard: (tx, planned) => consented(tx, cutover, planned, at),
    });
    if (outcome.outcome === 'later') throw new NotYet(outcome.sentence, outcome.retryAfterMs);
    if (outcome.outcome === 'not_ours')
      throw new CutoverEnds('failed', `No credential of the application covers ${row.hostname}.`);
    if (outcome.outcome === 'refused') throw new CutoverEnds('failed', outcome.sentence);
    await pool.transaction((tx) => afterMove(tx, row.id, outcome, now));
  },
};

/** Refuses a write that differs from the plan. A repetition after a crash finds a part of it done. */
async function consented(tx: Tx, { id, plan }: CutoverRow, planned: RequestPlan, now: Date): Promise<void> {
  const made = cutoverPlanOf(plan, planned.plan);
  const isRepeated = planned.owned.some((value) => isOneOf(value, plan.adds));
  if (isRepeated ? !isPartOf(made, plan) : !isSamePlan(made, plan))
    throw new CutoverEnds(
      'failed',
      'Nothing was moved, because the records in the zone are no longer those of the plan.',
    );
  await recordSent(tx, id, 'moved', now);
}

async function afterMove(tx: Tx, connectionId: string, outcome: WriteOutcome, now: number): Promise<void> {
  const row = await lockConnection(tx, connectionId);
  if (row === null || !WRITES_RECORDS.has(row.state)) return;
  const { state, phase_started_at, credential_id: triedCredential } = row;
  const facts = { state, phaseStartedAt: phase_started_at?.getTime() ?? null, triedCredential, repairedAt: [] };
  const { trigger, change } = consequenceOf(outcome, facts, now);
  const update = { ...change, now: new Date(now) };
  await (trigger === null ? remain(tx, row, update) : transition(tx, row, trigger, update));
  await enqueue(tx, row, 'touch');
}

/** Requests the site at the address that resolvers return, again and again, until it has worked for long enough. */
export const observe: Step = {
  state: 'observing',
  async run({ providerAccess, probes }, { cutover, row, now, signal }) {
    const isCached = now - (cutover.moved_at?.getTime() ?? now) < cachedFor(cutover.plan);
    const asked = { hostname: probedName(row), probe: cutover.probe, signal, isCached };
    const result = resultOf('dns', await probeResolved(probes, asked), now);
    const observed = { ...cutover, probes: withProbe(cutover.probes, result) };
    await saveProbes(providerAccess.pool, cutover.id, observed.probes);
    const verdict = judgeObserved(observed, now);
    if (verdict === 'observing') throw new NotYet(result.message ?? 'The site works.', untilNextProbe(observed, now));
    throw new CutoverEnds(verdict, result.message ?? 'The site works.');
  },
};

const resultOf = (via: ProbeResult['via'], seen: Omit<ProbeResult, 'at' | 'via'>, now: number): ProbeResult => ({
  at: new Date(now).toISOString(),
  via,
  ...seen,
});

/** Returns the hostname to request; for a wildcard, a label that it covers. */
const probedName = ({ hostname }: ConnectionRow): string =>
  isWildcard(hostname) ? `cutover-probe.${baseOf(hostname)}` : hostname;
