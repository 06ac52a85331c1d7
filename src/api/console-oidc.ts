import { Router, type RequestHandler } from 'express';
import * as oidc from 'openid-client';
import { z } from 'zod';
import { asTenant } from '../db/pool.ts';
import { createSession } from '../db/tenant/console-sessions.ts';
import { getTenant } from '../db/tenant/tenants.ts';
import { endsOf, ROLES, scopesOf } from '../domain/console-session.ts';
import { MINUTE } from '../domain/duration.ts';
import { clearCookie, cookieAt, isInsecure, readCookie, setCookie } from './console-session.ts';
import type { OidcSettings } from './console-settings.ts';
import { currentSession, startSession } from './console-start.ts';
import type { ApiDeps } from './deps.ts';
import { signToken, verifyToken } from './signed.ts';

/** Time that a person has at the provider. */
const STATE_MS = 10 * MINUTE;
const PURPOSE = 'console openid connect';
const TIMEOUT_S = 10;

/** The state of a sign-in, in a signed cookie of the browser that began it. */
const State = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  until: z.number(),
  replaces: z.object({ tenantId: z.uuid(), sessionId: z.uuid() }).nullable(),
});

/** Reason for which a person could not sign in. The page explains each. */
type Failure = 'oidc_refused' | 'oidc_role' | 'oidc_tenant' | 'oidc_failed';
class SignInFailed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, cause?: unknown) {
    super(failure, { cause });
    this.failure = failure;
  }
}

/** Signs people in to the console by OpenID Connect: authorization code with PKCE (RFC 7636), state and nonce. */
export function consoleOidc(deps: ApiDeps, settings: OidcSettings): Router {
  const redirectUri = `${deps.baseUrl}/console/oidc/callback`;
  // The answer comes from the provider's site, so a Strict cookie would not arrive with it.
  const cookie = cookieAt(deps.baseUrl, 'svc_console_oidc', 'lax');
  const provider = discovered(settings);
  const now = () => deps.now?.() ?? new Date();

  const start: RequestHandler = async (request, response) => {
    const site = request.get('sec-fetch-site');
    // Another site could replace a person's session by a link to this path. The page asks first.
    if (isInsecure(deps.baseUrl, request.hostname) || (site !== undefined && site !== 'same-origin')) {
      response.redirect('/console');
      return;
    }
    const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
    const url = oidc.buildAuthorizationUrl(await provider(), {
      redirect_uri: redirectUri,
      scope: 'openid profile',
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const replaces = await currentSession(request, deps);
    const kept: z.infer<typeof State> = { state, nonce, verifier, replaces, until: now().getTime() + STATE_MS };
    setCookie(response, cookie, signToken(deps.keys.signedState, PURPOSE, JSON.stringify(kept)), STATE_MS);
    response.redirect(url.href);
  };

  const finish: RequestHandler = async (request, response) => {
    const text = verifyToken(deps.keys.signedState, PURPOSE, readCookie(request, cookie) ?? '');
    const kept = text === null ? null : State.parse(JSON.parse(text));
    clearCookie(response, cookie);
    if (isInsecure(deps.baseUrl, request.hostname) || kept === null || kept.until < now().getTime())
      throw new SignInFailed('oidc_failed');
    const { tenantId, role } = await personOf(await provider(), settings, {
      url: new URL(request.originalUrl, deps.baseUrl),
      checks: { pkceCodeVerifier: kept.verifier, expectedState: kept.state, expectedNonce: kept.nonce },
    });
    // The role of the database shows a tenant only to itself.
    if ((await asTenant(deps.pool, tenantId, (tx) => getTenant(tx, tenantId))) === null)
      throw new SignInFailed('oidc_tenant');
    const session = await startSession(deps, response, {
      tenantId,
      replaces: kept.replaces,
      begin: (tx, at) =>
        createSession(tx, {
          tenant_id: tenantId,
          environment: 'live',
          scopes: scopesOf(role),
          made_by: 'openid_connect',
          key_id: null,
          now: at,
          ...endsOf(at),
        }),
    });
    if (session === null) throw new SignInFailed('oidc_tenant');
    response.redirect('/console');
  };

  const explained =
    (handler: RequestHandler): RequestHandler =>
    async (request, response, next) => {
      response.set('Cache-Control', 'no-store');
      try {
        await handler(request, response, next);
      } catch (error) {
        const failure = failureOf(error);
        if (failure === 'oidc_failed') deps.log.warn({ err: error }, 'A sign-in by OpenID Connect failed.');
        response.redirect(`/console#error=${failure}`);
      }
    };

  return Router().get('/console/oidc/start', explained(start)).get('/console/oidc/callback', explained(finish));
}

function failureOf(error: unknown): Failure {
  if (error instanceof SignInFailed) return error.failure;
  return error instanceof oidc.AuthorizationResponseError ? 'oidc_refused' : 'oidc_failed';
}

/** Reads the provider's metadata at first use, and again after a failure, so that the service starts without it. */
function discovered({ issuer, clientId, clientSecret }: OidcSettings): () => Promise<oidc.Configuration> {
  const url = new URL(issuer);
  let known: Promise<oidc.Configuration> | null = null;
  return () =>
    (known ??= oidc
      .discovery(url, clientId, clientSecret, authenticateBy(clientSecret), {
        timeout: TIMEOUT_S,
        // The settings allow plain http on loopback only.
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- the library marks it as a warning only
        ...(url.protocol === 'http:' && { execute: [oidc.allowInsecureRequests] }),
      })
      .catch((error: unknown) => {
        known = null;
        throw error;
      }));
}

/** Basic is the default of OpenID Connect (Discovery 1.0, 3). It is not used with a provider that lists only others. */
function authenticateBy(secret: string): oidc.ClientAuth {
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

type Checks = Required<Pick<oidc.AuthorizationCodeGrantChecks, 'pkceCodeVerifier' | 'expectedState' | 'expectedNonce'>>;

/** Exchanges the code, verifies the ID token, and returns the person's tenant and role. */
async function personOf(
  provider: oidc.Configuration,
  { tenantClaim, roleClaim }: OidcSettings,
  { url, checks }: { url: URL; checks: Checks },
) {
  const tokens = await oidc.authorizationCodeGrant(provider, url, checks);
  const claims = tokens.claims();
  if (claims === undefined) throw new SignInFailed('oidc_failed');
  const isComplete = claims[tenantClaim] !== undefined && claims[roleClaim] !== undefined;
  // Many providers return custom claims only at their userinfo endpoint.
  const more =
    isComplete || provider.serverMetadata().userinfo_endpoint === undefined
      ? {}
      : await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub);
  const given: Readonly<Record<string, unknown>> = { ...more, ...claims };
  const tenantId = z.uuid().toLowerCase().safeParse(given[tenantClaim]);
  if (!tenantId.success) throw new SignInFailed('oidc_tenant');
  const role = z.enum(ROLES).safeParse(given[roleClaim]);
  if (!role.success) throw new SignInFailed('oidc_role');
  return { tenantId: tenantId.data, role: role.data };
}
