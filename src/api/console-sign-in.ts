import { Router, type Request, type RequestHandler } from 'express';
import { z } from 'zod';
import { asTenant } from '../db/pool.ts';
import { createSession, findLink, getSession, useLink, type ConsoleLink } from '../db/tenant/console-sessions.ts';
import { endsOf, roleOf } from '../domain/console-session.ts';
import { ServiceError } from '../domain/errors.ts';
import { bodyReader } from './body.ts';
import { authenticateSession, clearCookie, isInsecure, refuseOtherSites, sessionCookie } from './console-session.ts';
import { currentSession, presentSession, startSession, stopSession } from './console-start.ts';
import type { ApiDeps } from './deps.ts';
import type { Limiter } from './limiter.ts';
import { refuseMethod } from './refuse-method.ts';
import { validate } from './validate.ts';

/** Strangers may send a body here, so it is small. */
const BODY_LIMIT_KB = 1;
const GivenLink = z.strictObject({ link: z.string().max(200) });

const badLink = () =>
  new ServiceError('unauthorized', 'This link was used or has expired. Ask for a new one where you found it.');
const insecure = () =>
  new ServiceError(
    'forbidden',
    'No one can sign in here, because a session would cross the network unencrypted. Use https, also in BASE_URL.',
    { details: { reason: 'insecure_base_url' } },
  );

/** Signs people in to the console and out of it: by a link, or by a button as the demo tenant of this machine. */
export function consoleSignIn(deps: ApiDeps, limiter: Limiter, demoKey?: string): Router {
  const router = Router();
  const readBody = bodyReader(BODY_LIMIT_KB);
  const now = () => deps.now?.() ?? new Date();
  router.use('/console/api', (_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });

  const signingIn =
    (handler: RequestHandler): RequestHandler =>
    async (request, response, next) => {
      refuseOtherSites(request);
      if (isInsecure(deps.baseUrl, request.hostname)) throw insecure();
      await limiter.countFailures(request, response, async () => {
        await handler(request, response, next);
      });
    };
  const linkIn = async (request: Request, response: Parameters<typeof readBody>[1]): Promise<ConsoleLink> => {
    const { link } = validate(GivenLink, await readBody(request, response), 'body');
    const found = await findLink(deps.pool, link, now());
    if (found === null) throw badLink();
    return found;
  };

  const preview = signingIn(async (request, response) => {
    const { tenant_id: id, tenant_name: name, scopes, environment, link_expires_at } = await linkIn(request, response);
    response.json({ tenant: { id, name }, role: roleOf(scopes), scopes, environment, link_expires_at });
  });

  const signIn = signingIn(async (request, response) => {
    const { id, tenant_id: tenantId } = await linkIn(request, response);
    const session = await startSession(deps, response, {
      tenantId,
      replaces: await currentSession(request, deps),
      async begin(tx, at) {
        const cookie = await useLink(tx, id, at);
        return cookie === null ? null : { id, cookie };
      },
    });
    if (session === null) throw badLink();
    response.json(presentSession(session));
  });

  const show: RequestHandler = async (request, response) => {
    const { caller } = await limiter.countFailures(request, response, () => authenticateSession(request, deps));
    const { tenantId, credential } = caller;
    const session = await asTenant(deps.pool, tenantId, (tx) => getSession(tx, credential.sessionId));
    if (session === null) throw new ServiceError('unauthorized', 'Your session has ended. Sign in again.');
    response.json(presentSession(session));
  };

  const signOut: RequestHandler = async (request, response) => {
    const session = await currentSession(request, deps);
    if (session !== null) await stopSession(deps, response, session);
    clearCookie(response, sessionCookie(deps.baseUrl));
    response.status(204).end();
  };

  const session = router.route('/console/api/session').post(signIn).get(show).delete(signOut);
  session.all(refuseMethod(['get', 'post', 'delete']));
  router
    .route(String.raw`/console/api/session\:preview`)
    .post(preview)
    .all(refuseMethod(['post']));
  if (demoKey !== undefined)
    router
      .route(String.raw`/console/api/session\:demo`)
      .post(signingIn(signInAsDemo(deps, demoKey)))
      .all(refuseMethod(['post']));
  return router;
}

/**
 * Signs in as the tenant of the demo, with everything that its key may do. A page whose name was made to resolve to this
 * machine (DNS rebinding) has a name that is not on loopback, so it was refused as insecure.
 */
const signInAsDemo =
  (deps: ApiDeps, demoKey: string): RequestHandler =>
  async (request, response) => {
    const recognized = await deps.callers.byKey(demoKey);
    if (recognized === null) throw new ServiceError('unauthorized', 'The key of the demo was revoked.');
    const { tenant_id, environment, scopes, key_id } = recognized.caller;
    const session = await startSession(deps, response, {
      tenantId: tenant_id,
      replaces: await currentSession(request, deps),
      begin: (tx, now) =>
        createSession(tx, { tenant_id, environment, scopes, made_by: 'key', key_id, now, ...endsOf(now) }),
    });
    if (session === null) throw new ServiceError('forbidden', 'This account is suspended.');
    response.json(presentSession(session));
  };
