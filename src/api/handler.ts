import type { Request, RequestHandler, Response } from 'express';
import { audit } from '../db/audit.ts';
import { sharingOneWait } from '../db/pool-semaphore.ts';
import { asTenant, tenantPool, type Tx } from '../db/pool.ts';
import { ServiceError } from '../domain/errors.ts';
import { authorize, authorizeBody, type Authenticate } from './auth.ts';
import { bodyReader, type ReadBody } from './body.ts';
import type { Caller } from './caller.ts';
import type { ApiDeps } from './deps.ts';
import { isKnown } from './etag.ts';
import { answerGiven, answerOnce, readIdempotencyKey } from './idempotency.ts';
import type { Limiter } from './limiter.ts';
import type { Context, InTransaction, Reply, Route } from './route.ts';
import type { Shares } from './shares.ts';
import { Administered } from './schemas/common.ts';
import { validate } from './validate.ts';

const BODY_LIMIT_KB = 100;

/** Limits that the handlers of an app share. */
interface Limits {
  limiter: Limiter;
  shares: Shares;
}

/** Returns a route's handler. It authenticates and limits by headers, then reads the body; it answers after commit. */
export function handlerOf(
  route: Route,
  deps: ApiDeps,
  { limiter, shares }: Limits,
  authenticate: Authenticate,
): RequestHandler {
  const readBody = bodyReader(route.bodyLimitKb ?? BODY_LIMIT_KB);
  const parts = { route, deps, limiter, readBody, authenticate };
  return (request, response) => {
    const run = () => sharingOneWait(() => answer(parts, request, response));
    // Other routes hold no connection while they wait for something.
    return route.runs === 'in a transaction' ? shares.run(request, run) : run();
  };
}

interface Parts {
  route: Route;
  deps: ApiDeps;
  limiter: Limiter;
  readBody: ReadBody;
  authenticate: Authenticate;
}

async function answer(
  { route, deps, limiter, readBody, authenticate }: Parts,
  request: Request,
  response: Response,
): Promise<void> {
  const address = parseAddress(route, request);
  const find =
    route.runs === 'with authentication' && !(address instanceof ServiceError)
      ? route.find(address.params, address.query)
      : undefined;
  const { caller, found } = await limiter.countFailures(request, response, () => authenticate(request, deps, find));
  deps.noteCaller?.({ tenant_id: caller.tenantId, environment: caller.environment });
  meterCall(deps, caller, response);
  authorize(caller, route, request);
  limiter.countCaller(caller, response);
  if (address instanceof ServiceError) throw address;
  const body = validate(route.body, await readBody(request, response), 'body');
  authorizeBody(caller, route, body);
  // Counted by tenant too, because the object is not read yet: another tenant's requests must not use up its limit.
  if (route.limit) limiter.countUse(route.limit.by, `${caller.tenantId} ${route.limit.key(address.params)}`, response);

  const now = deps.now?.() ?? new Date();
  const context = { ...address, body, caller, deps: forTenant(deps, caller.tenantId), now };
  const { reply, replayed } =
    route.runs === 'with authentication'
      ? once(route.handle({ ...context, found }))
      : await act(route, context, request, response);
  if (replayed) response.set('Idempotent-Replayed', 'true');
  else await route.afterCommit?.(context, reply);
  send(request, response, reply);
}

/** Meters the call, unless a person made it in the console, it fails on our side, or replays an earlier answer. */
function meterCall({ recordApiCall, now }: ApiDeps, { tenantId, credential }: Caller, response: Response): void {
  if (credential.kind === 'session') return;
  const { applicationId } = credential;
  response.once('finish', () => {
    if (response.statusCode < 500 && !response.hasHeader('Idempotent-Replayed'))
      recordApiCall?.(tenantId, applicationId, now?.() ?? new Date());
  });
}

/** Binds the transactions of provisioning to the caller's tenant, like the request's own transactions. */
const forTenant = (deps: ApiDeps, tenantId: string): ApiDeps => ({
  ...deps,
  providerAccess: { ...deps.providerAccess, pool: tenantPool(deps.providerAccess.pool, tenantId) },
});

/** Writes the answer directly, which is faster than express's `send`. */
function send(request: Request, response: Response, { status, body, etag, retryAfterSeconds }: Reply): void {
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
  // A cached answer must be revalidated before use, because the object can change at any moment.
  if (etag !== undefined) response.setHeader('ETag', etag).setHeader('Cache-Control', 'private, no-cache');
  if (status === 204) response.writeHead(204).end();
  else if (etag !== undefined && isKnown(request.get('if-none-match'), etag)) response.writeHead(304).end();
  else response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

/** Parses path and query. Returns a refusal instead of throwing it, because an unknown caller must get a 401 first. */
function parseAddress(route: Route, request: Request): Pick<Context, 'params' | 'query'> | ServiceError {
  try {
    return {
      params: validate(route.params, request.params, 'path'),
      query: validate(route.query, request.query, 'query'),
    };
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

interface Outcome {
  reply: Reply;
  replayed: boolean;
}
const once = (reply: Reply): Outcome => ({ reply, replayed: false });

async function act(
  route: Exclude<Route, { runs: 'with authentication' }>,
  context: Context,
  request: Request,
  response: Response,
): Promise<Outcome> {
  const inTransaction: InTransaction = (body) => asTenant(context.deps.pool, context.caller.tenantId, body);
  if (route.runs === 'outside a transaction') return once(await route.handle({ ...context, inTransaction }));
  const repeatable = route.idempotent && readIdempotencyKey(route.idempotent, request, context);
  if (repeatable && route.prepare) {
    // `prepare` can ask a provider, whose answer may have changed. A replay must return the first answer.
    const earlier = await inTransaction((tx) => answerGiven(tx, repeatable, context.now));
    if (earlier !== null) return { reply: earlier, replayed: true };
  }
  const prepared: unknown = await route.prepare?.({ ...context, inTransaction });
  return inTransaction(async (tx) => {
    const handle = async (): Promise<Reply> => {
      const reply = await route.handle({ ...context, tx, prepared });
      await auditRequest(tx, route, context, reply, String(response.locals['requestId']));
      return reply;
    };
    return repeatable ? answerOnce(tx, repeatable, context.now, handle) : once(await handle());
  });
}

async function auditRequest(tx: Tx, route: Route, context: Context, reply: Reply, requestId: string): Promise<void> {
  if (route.audit === undefined) return;
  const { id, environment } = reply.audited ?? Administered.parse(reply.body);
  const { tenantId, credential } = context.caller;
  await audit(tx, {
    tenant_id: tenantId,
    environment,
    key_id: credential.kind === 'key' ? credential.keyId : null,
    session_id: credential.kind === 'session' ? credential.sessionId : null,
    action: route.audit,
    target_id: id,
    fields: Object.keys(context.body ?? {}),
    request_id: requestId,
    now: context.now,
  });
}
