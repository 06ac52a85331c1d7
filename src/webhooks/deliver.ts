import { envelopeOf } from '../domain/webhook/events.ts';
import { isGone } from '../domain/webhook/attempt.ts';
import {
  afterFailure,
  afterPause,
  circuitOf,
  HEALTHY,
  PROBE_FOR,
  untilNextAttempt,
  whileBusy,
} from '../domain/webhook/schedule.ts';
import { secretsAt } from '../domain/webhook/secret.ts';
import { enqueueDelivery } from '../db/outbox.ts';
import type { Pool } from '../db/pool.ts';
import {
  claimDeliveries,
  giveUp,
  postpone,
  recordAttempts,
  releaseDelivery,
  whyUnclaimed,
  type AfterAttempt,
  type ClaimedDelivery,
  type ClaimOptions,
  type FailureReason,
  type MadeAttempt,
} from '../db/webhook/deliveries.ts';
import { disableEndpoint, lockEndpoint, noteHealth, takeProbe } from '../db/webhook/endpoints.ts';
import type { Vault } from '../vault/vault.ts';
import type { EndpointSemaphores } from './endpoint-semaphores.ts';
import { openSecrets } from './secrets.ts';
import type { Sent, WebhookSender } from './send.ts';
import { signatureHeaders } from './sign.ts';

export interface WebhookAccess {
  pool: Pool;
  vault: Vault;
  sender: WebhookSender;
  endpointSemaphores: EndpointSemaphores;
  /** Logs an attempt that moves nothing but its delivery. */
  record(made: MadeAttempt): Promise<void>;
  /** In [0, 1); spreads the attempts. */
  random(): number;
  noteAttempt(attempt: { outcome: string; secondsSinceEvent: number | null }): void;
}

/** The attempt that asks: when it is, by Temporal's clock, and what tells it from every other. */
export interface Asking extends Pick<ClaimOptions, 'by' | 'mode'> {
  now: number;
}

/** Done, for better or worse, or to be tried again after a while. */
export type Delivered = { done: true; sentence: string } | { done: false; sentence: string; waitMs: number };

/** One attempt at a delivery, if one is due and may be made. */
export async function attemptDelivery(access: WebhookAccess, id: string, asking: Asking): Promise<Delivered> {
  const [claimed] = await claimDeliveries(access.pool, [id], claimOf(asking));
  return claimed === undefined ? unclaimed(access, id, asking) : attempt(access, claimed, asking);
}

const claimOf = ({ by, mode, now }: Asking, probes = false): ClaimOptions => ({ by, mode, now: new Date(now), probes });

/** No chain begins another attempt after so long: with its last one it then ends before its activity's time does. */
const CHAIN_MS = 10_000;

/**
 * The first attempts of deliveries that were due together. Those of one connection to one endpoint are made one after
 * the other, in the order of their events; all others side by side. One that is to be tried again gets a workflow of its
 * own, through the outbox like every start.
 */
export async function attemptFirst(
  access: WebhookAccess,
  chains: readonly (readonly string[])[],
  { by, now }: Omit<Asking, 'mode'>,
): Promise<{ done: number; later: number }> {
  const asking = { by, now, mode: 'first' } as const;
  const began = performance.now();
  const heads = chains.flatMap(([first]) => first ?? []);
  const claims = new Map((await claimDeliveries(access.pool, heads, claimOf(asking))).map((row) => [row.id, row]));
  const result = { done: 0, later: 0 };
  await Promise.all(
    chains.map(async (chain) => {
      let goesOn = true;
      for (const id of chain) {
        // What comes after one that failed is not to overtake it, nor to wait for the same silence once more.
        goesOn &&= performance.now() - began < CHAIN_MS && (await attemptOne(access, id, claims.get(id), asking)).done;
        if (!goesOn) await enqueueDelivery(access.pool, id);
        result[goesOn ? 'done' : 'later']++;
      }
    }),
  );
  return result;
}

/** The head of a chain is claimed together with others; what follows it when its turn comes. */
const attemptOne = (access: WebhookAccess, id: string, claimed: ClaimedDelivery | undefined, asking: Asking) =>
  claimed === undefined ? attemptDelivery(access, id, asking) : attempt(access, claimed, asking);

/** Says why a delivery was not claimed, or makes the one attempt that tries whether a paused endpoint is back. */
async function unclaimed(access: WebhookAccess, id: string, asking: Asking): Promise<Delivered> {
  const { pool } = access;
  const { now } = asking;
  const why = await whyUnclaimed(pool, id);
  if (why === null) return { done: true, sentence: 'The delivery is no longer kept.' };
  if (why.status !== 'pending') return { done: true, sentence: `The delivery is ${why.status}.` };
  if (why.endpoint_active !== true) return end(pool, id, 'endpoint_inactive', 'The endpoint is not active.');
  if (!why.has_event) return end(pool, id, 'event_expired', 'The event is older than 30 days and no longer kept.');
  const circuit = circuitOf(why, now);
  if (circuit === 'probing' && (await takeProbe(pool, why.endpoint_id, new Date(now), new Date(now + PROBE_FOR)))) {
    const [claimed] = await claimDeliveries(pool, [id], claimOf(asking, true));
    if (claimed !== undefined) return attempt(access, claimed, asking);
  }
  if (circuit !== 'closed') {
    const waited = now - why.created_at.getTime();
    const waitMs = afterPause((why.paused_until ?? new Date(now)).getTime(), waited, now, access.random());
    return later(pool, id, 'The endpoint has failed too often in a row and is paused.', now, waitMs);
  }
  const untilDue = (why.next_attempt_at?.getTime() ?? now) - now;
  return untilDue > 0
    ? { done: false, sentence: 'The last attempt failed.', waitMs: untilDue }
    : { done: false, sentence: 'Another attempt at it is under way.', waitMs: 5_000 };
}

async function end(pool: Pool, id: string, reason: FailureReason, sentence: string): Promise<Delivered> {
  await giveUp(pool, id, reason);
  return { done: true, sentence };
}

async function later(pool: Pool, id: string, sentence: string, now: number, waitMs: number): Promise<Delivered> {
  await postpone(pool, id, new Date(now + waitMs));
  return { done: false, sentence, waitMs };
}

/** Signs afresh, sends, logs. Whatever happens between sending and logging makes another attempt, never a lost one. */
async function attempt(access: WebhookAccess, claimed: ClaimedDelivery, { now, by }: Asking): Promise<Delivered> {
  const release = await access.endpointSemaphores.acquire(claimed.endpoint_id);
  if (release === null) {
    await releaseDelivery(access.pool, claimed.id, by);
    const waitMs = whileBusy(now - claimed.created_at.getTime(), access.random());
    return later(access.pool, claimed.id, 'The endpoint is busy with others.', now, waitMs);
  }
  const startedAt = new Date();
  const secondsSinceEvent =
    claimed.attempts === 0 ? Math.max(0, (startedAt.getTime() - claimed.created_at.getTime()) / 1_000) : null;
  let sent: Sent;
  try {
    sent = await access.sender.send(requestOf(access.vault, claimed, startedAt));
  } finally {
    release();
  }
  access.noteAttempt({ outcome: sent.outcome, secondsSinceEvent });
  return settle(access, claimed, { sent, startedAt, now });
}

function requestOf(vault: Vault, claimed: ClaimedDelivery, startedAt: Date) {
  const { event_id, event_type, environment } = claimed;
  const body = Buffer.from(JSON.stringify(envelopeOf({ ...claimed, id: event_id, type: event_type })));
  const owner = { ...claimed, id: claimed.endpoint_id };
  const secrets = secretsAt(openSecrets(vault, owner), startedAt.getTime());
  const timestamp = Math.floor(startedAt.getTime() / 1_000);
  return {
    url: claimed.url,
    environment,
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Svc-Webhooks/1',
      'x-svc-event-id': event_id,
      'x-svc-event-type': event_type,
      'x-svc-delivery-id': claimed.id,
      'x-svc-attempt': String(claimed.attempts + 1),
      ...signatureHeaders({ eventId: event_id, body, timestamp }, secrets),
    },
  };
}

interface Made {
  sent: Sent;
  startedAt: Date;
  now: number;
}

/** Log, delivery and the endpoint's health in one transaction. A success of an endpoint without a past is one statement. */
async function settle(
  { pool, random, record }: WebhookAccess,
  claimed: ClaimedDelivery,
  made: Made,
): Promise<Delivered> {
  const { sent, startedAt, now } = made;
  const logged = (after: AfterAttempt) => ({ claimed, attempt: { url: claimed.url, startedAt, ...sent }, after });
  if (sent.outcome === 'delivered' && claimed.failures === 0) {
    await record(logged({ status: 'delivered' }));
    return { done: true, sentence: 'Delivered.' };
  }
  const waitMs = untilNextAttempt(claimed.round_attempts + 1, sent.retryAfterMs, random());
  return pool.transaction(async (tx) => {
    const endpoint = await lockEndpoint(tx, claimed.endpoint_id);
    // Failures at an address that the tenant has replaced meanwhile say nothing about the new one.
    const isJudged = endpoint?.active === true && endpoint.url === claimed.url;
    if (sent.outcome === 'delivered') {
      if (isJudged) await noteHealth(tx, endpoint.id, HEALTHY);
      await recordAttempts(tx, [logged({ status: 'delivered' })]);
      return { done: true, sentence: 'Delivered.' } as const;
    }
    const { disable, ...health } = afterFailure(endpoint ?? HEALTHY, now);
    const isGoneNow = isGone(sent.statusCode);
    if (isJudged) await noteHealth(tx, endpoint.id, health);
    if (isJudged && (disable || isGoneNow))
      await disableEndpoint(tx, endpoint.id, isGoneNow ? 'gone' : 'failing', new Date(now));
    const isOver = !isJudged ? endpoint?.active !== true : disable || isGoneNow;
    const after = afterwards(isOver, waitMs, now);
    await recordAttempts(tx, [logged(after)]);
    const sentence = sent.error ?? 'The attempt failed.';
    return after.status === 'pending'
      ? { done: false, sentence, waitMs: waitMs ?? 0 }
      : { done: true, sentence: `${sentence} It is not tried again.` };
  });
}

function afterwards(isOver: boolean, waitMs: number | null, now: number): AfterAttempt {
  if (isOver) return { status: 'failed', reason: 'endpoint_inactive' };
  if (waitMs === null) return { status: 'failed', reason: 'attempts_exhausted' };
  return { status: 'pending', nextAttemptAt: new Date(now + waitMs) };
}
