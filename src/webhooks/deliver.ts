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
  recordAttempts,
  unclaimedDeliveries,
  type AfterAttempt,
  type ClaimedDelivery,
  type ClaimOptions,
  type FailureReason,
  type MadeAttempt,
  type UnclaimedDelivery,
} from '../db/webhook/deliveries.ts';
import { postpone, type Postponed } from '../db/webhook/postpone.ts';
import { disableEndpoint, lockEndpoint, recordHealth, takeProbe } from '../db/webhook/endpoints.ts';
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
  /** Postpones a delivery at which no attempt was made, and starts it again when it is due. */
  restart(delivery: Postponed): Promise<void>;
  /** A number in [0, 1) that spreads the attempts over time. */
  random(): number;
  recordAttempt(attempt: { outcome: string; secondsSinceEvent: number | null }): void;
}

/** The activity that makes the attempt: its time by Temporal's clock, and its identity. */
export interface Asking extends Pick<ClaimOptions, 'by' | 'mode'> {
  now: number;
}

/** Result of an attempt: finished, successfully or not; to be retried; or not made, because of the endpoint's state. */
export type Delivered =
  { outcome: 'done'; sentence: string } | { outcome: 'retry' | 'held'; sentence: string; waitMs: number };

/** Makes one attempt at a delivery if one is due and allowed. */
export async function attemptDelivery(access: WebhookAccess, id: string, asking: Asking): Promise<Delivered> {
  const tried = await attemptIfDue(access, id, asking);
  if (tried.outcome === 'held') await postpone(access.pool, [{ id, waitMs: tried.waitMs, ...asking }]);
  return tried;
}

async function attemptIfDue(access: WebhookAccess, id: string, asking: Asking): Promise<Delivered> {
  const [claimed] = await claimDeliveries(access.pool, [id], claimOf(asking));
  if (claimed !== undefined) return attempt(access, claimed, asking);
  const [why] = await unclaimedDeliveries(access.pool, [id]);
  return unclaimed(access, why, asking);
}

const claimOf = ({ by, mode, now }: Asking, probes = false): ClaimOptions => ({ by, mode, now: new Date(now), probes });

/** Time after which no list starts another attempt, so that its last one ends within the activity's timeout. */
const LIST_MS = 10_000;

/**
 * Makes first attempts, in the order of events per connection and endpoint. A failed attempt gets a workflow of its own
 * for its retries. What follows it starts again, and so do lists whose endpoint is busy or paused: thousands of
 * deliveries can wait for one receiver, and a workflow for each would delay those of other tenants. The first delivery
 * of each list is leased together with those of the others, and the following ones in turn.
 */
export async function attemptFirst(
  access: WebhookAccess,
  lists: readonly (readonly string[])[],
  { by, now }: Omit<Asking, 'mode'>,
): Promise<{ done: number; later: number }> {
  const asking = { by, now, mode: 'first' } as const;
  const began = performance.now();
  const heads = lists.flatMap(([first]) => first ?? []);
  const claims = byId(await claimDeliveries(access.pool, heads, claimOf(asking)));
  const missed = heads.filter((id) => !claims.has(id));
  const reasons = byId(missed.length === 0 ? [] : await unclaimedDeliveries(access.pool, missed));
  const attemptOne = (id: string, isHead: boolean) => {
    const claimed = claims.get(id);
    if (claimed !== undefined) return attempt(access, claimed, asking);
    return isHead ? unclaimed(access, reasons.get(id), asking) : attemptIfDue(access, id, asking);
  };
  let done = 0;
  await Promise.all(
    lists.map(async (list) => {
      for (const [place, id] of list.entries()) {
        const isLate = place > 0 && performance.now() - began >= LIST_MS;
        const tried = isLate ? undefined : await attemptOne(id, place === 0);
        if (tried?.outcome === 'done') {
          done++;
          continue;
        }
        if (tried?.outcome === 'retry') await enqueueDelivery(access.pool, id);
        const rest = list.slice(tried?.outcome === 'retry' ? place + 1 : place);
        const waitMs = tried?.outcome === 'held' ? tried.waitMs : 0;
        await Promise.all(rest.map((each) => access.restart({ id: each, waitMs, ...asking })));
        return;
      }
    }),
  );
  return { done, later: lists.flat().length - done };
}

const byId = <T extends { id: string }>(rows: readonly T[]): ReadonlyMap<string, T> =>
  new Map(rows.map((row) => [row.id, row]));

/** Returns the reason why a delivery was not leased, or probes a paused endpoint. */
async function unclaimed(
  access: WebhookAccess,
  why: UnclaimedDelivery | undefined,
  asking: Asking,
): Promise<Delivered> {
  const { pool } = access;
  const { now } = asking;
  if (why === undefined) return { outcome: 'done', sentence: 'The delivery is no longer kept.' };
  const { id } = why;
  if (why.status !== 'pending') return { outcome: 'done', sentence: `The delivery is ${why.status}.` };
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
    return { outcome: 'held', sentence: 'The endpoint has failed too often in a row and is paused.', waitMs };
  }
  const untilDue = (why.next_attempt_at?.getTime() ?? now) - now;
  return untilDue > 0
    ? { outcome: 'retry', sentence: 'The last attempt failed.', waitMs: untilDue }
    : { outcome: 'retry', sentence: 'Another attempt at it is under way.', waitMs: 5_000 };
}

async function end(pool: Pool, id: string, reason: FailureReason, sentence: string): Promise<Delivered> {
  await giveUp(pool, id, reason);
  return { outcome: 'done', sentence };
}

/** Signs, sends and logs. A failure between sending and logging causes another attempt and never a loss. */
async function attempt(access: WebhookAccess, claimed: ClaimedDelivery, { now }: Asking): Promise<Delivered> {
  const release = await access.endpointSemaphores.acquire(claimed.endpoint_id);
  if (release === null) {
    const waitMs = whileBusy(now - claimed.created_at.getTime(), access.random());
    return { outcome: 'held', sentence: 'The endpoint is busy with others.', waitMs };
  }
  const startedAt = new Date();
  const secondsSinceEvent =
    claimed.attempts === 0 ? Math.max(0, (startedAt.getTime() - claimed.created_at.getTime()) / 1_000) : null;
  let sent: Sent | undefined;
  try {
    sent = await access.sender.send(requestOf(access.vault, claimed, startedAt));
  } finally {
    release(typeof sent?.statusCode === 'number');
  }
  access.recordAttempt({ outcome: sent.outcome, secondsSinceEvent });
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

/** Saves log, delivery and the endpoint's health in one transaction. */
async function settle(
  { pool, random, record }: WebhookAccess,
  claimed: ClaimedDelivery,
  made: Made,
): Promise<Delivered> {
  const { sent, startedAt, now } = made;
  const logged = (after: AfterAttempt) => ({ claimed, attempt: { url: claimed.url, startedAt, ...sent }, after });
  if (sent.outcome === 'delivered' && claimed.failures === 0) {
    await record(logged({ status: 'delivered' }));
    return { outcome: 'done', sentence: 'Delivered.' };
  }
  const waitMs = untilNextAttempt(claimed.round_attempts + 1, sent.retryAfterMs, random());
  return pool.transaction(async (tx) => {
    const endpoint = await lockEndpoint(tx, claimed.endpoint_id);
    // Failures at a URL that the tenant has replaced do not count against the new one.
    const isJudged = endpoint?.active === true && endpoint.url === claimed.url;
    if (sent.outcome === 'delivered') {
      if (isJudged) await recordHealth(tx, endpoint.id, HEALTHY);
      await recordAttempts(tx, [logged({ status: 'delivered' })]);
      return { outcome: 'done', sentence: 'Delivered.' } as const;
    }
    const { disable, ...health } = afterFailure(endpoint ?? HEALTHY, now);
    const isGoneNow = isGone(sent.statusCode);
    if (isJudged) await recordHealth(tx, endpoint.id, health);
    if (isJudged && (disable || isGoneNow))
      await disableEndpoint(tx, endpoint.id, isGoneNow ? 'gone' : 'failing', new Date(now));
    const isOver = !isJudged ? endpoint?.active !== true : disable || isGoneNow;
    const after = afterwards(isOver, waitMs, now);
    await recordAttempts(tx, [logged(after)]);
    const sentence = sent.error ?? 'The attempt failed.';
    return after.status === 'pending'
      ? { outcome: 'retry', sentence, waitMs: waitMs ?? 0 }
      : { outcome: 'done', sentence: `${sentence} It is not tried again.` };
  });
}

function afterwards(isOver: boolean, waitMs: number | null, now: number): AfterAttempt {
  if (isOver) return { status: 'failed', reason: 'endpoint_inactive' };
  if (waitMs === null) return { status: 'failed', reason: 'attempts_exhausted' };
  return { status: 'pending', nextAttemptAt: new Date(now + waitMs) };
}
