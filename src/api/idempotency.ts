import type { Request } from 'express';
import { findAnswer, keepAnswer, lockRequest, type RequestScope } from '../db/tenant/idempotent-answers.ts';
import type { Tx } from '../db/pool.ts';
import { invalid, ServiceError } from '../domain/errors.ts';
import { reachOf } from './caller.ts';
import type { Context, Reply } from './route.ts';
import { isSigned, sign } from './signed.ts';

const PURPOSE = 'request body';
const KEY = /^[\x20-\x7e]{1,255}$/;

/** A request with an Idempotency-Key: the scope of its stored answer, and the hash of its body. */
export interface Repeatable {
  scope: RequestScope;
  bodyHash: Buffer;
  /** Whether a stored hash matches this body, under any key of the keyring. */
  isSameBody(hash: Buffer): boolean;
  secrets: readonly string[];
}

export function readIdempotencyKey(
  { secrets }: { secrets: readonly string[] },
  request: Request,
  { caller, body, deps }: Context,
): Repeatable | undefined {
  const key = request.get('idempotency-key');
  if (key === undefined) return undefined;
  if (!KEY.test(key))
    throw invalid([
      {
        path: 'header.idempotency-key',
        code: 'idempotency_key',
        message: 'Idempotency-Key: must be 1 to 255 printable ASCII characters.',
      },
    ]);
  const text = canonical(body);
  // Routes match in any case and with a trailing slash, so all spellings of a path share one scope.
  const path = request.path.toLowerCase().replace(/\/$/, '');
  const operation = `${request.method} ${path} ${reachOf(caller)}`;
  return {
    scope: { tenant_id: caller.tenantId, operation, key },
    bodyHash: sign(deps.keys.signedState[0], PURPOSE, text),
    isSameBody: (hash) => isSigned(deps.keys.signedState, PURPOSE, text, hash),
    secrets,
  };
}

/** Returns the stored answer of an earlier request with this key, or null. Throws if that request had another body. */
export async function answerGiven(
  tx: Tx,
  { scope, isSameBody }: Pick<Repeatable, 'scope' | 'isSameBody'>,
  now: Date,
): Promise<Reply | null> {
  const kept = await findAnswer(tx, scope, now);
  if (kept === null) return null;
  if (!isSameBody(kept.body_hash))
    throw new ServiceError('idempotency_key_reused', 'This Idempotency-Key was used with another body.');
  return { status: kept.status, body: kept.body };
}

/** Runs the request, or returns the stored answer of its first run. Errors are not stored. */
export async function answerOnce(
  tx: Tx,
  { scope, bodyHash, isSameBody, secrets }: Repeatable,
  now: Date,
  handle: () => Promise<Reply>,
): Promise<{ reply: Reply; replayed: boolean }> {
  if (!(await lockRequest(tx, scope)))
    throw new ServiceError('idempotency_in_progress', 'The first request with this Idempotency-Key is still running.', {
      retryAfterSeconds: 1,
    });
  const earlier = await answerGiven(tx, { scope, isSameBody }, now);
  if (earlier !== null) return { reply: earlier, replayed: true };
  const reply = await handle();
  await keepAnswer(tx, scope, { body_hash: bodyHash, status: reply.status, body: without(reply.body, secrets) }, now);
  return { reply, replayed: false };
}

/** Serializes with sorted keys, so that the same body with another key order has the same hash. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

const without = (body: unknown, secrets: readonly string[]): unknown =>
  typeof body === 'object' && body !== null
    ? Object.fromEntries(Object.entries(body).filter(([name]) => !secrets.includes(name)))
    : body;
