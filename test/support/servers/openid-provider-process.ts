import { once } from 'node:events';
import { createServer } from 'node:http';
import { Provider, type Configuration } from 'oidc-provider';
import type { OpenIdClient } from './openid-provider.ts';

/**
 * An OpenID provider at which anyone can log in. The login is a person's claims as JSON, so a test chooses them. It
 * requires PKCE, as current practice demands (RFC 9700, 2.1.1).
 */
const { port, clientId, clientSecret, redirectUri, authenticatesBy, claimsIn } = JSON.parse(
  process.argv[2] ?? '',
) as OpenIdClient;

const settings: Configuration = {
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: authenticatesBy,
    },
  ],
  clientAuthMethods: [authenticatesBy],
  cookies: { keys: ['not a secret'] },
  pkce: { required: () => true },
  claims: { openid: ['sub'], profile: ['tenant', 'role'] },
  conformIdTokenClaims: claimsIn === 'userinfo',
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, ...(JSON.parse(id) as Record<string, unknown>) }),
  }),
};

const provider = new Provider(`http://127.0.0.1:${port}`, settings);
// eslint-disable-next-line @typescript-eslint/no-misused-promises -- koa's handler reports its own errors
const server = createServer(provider.callback());
await once(server.listen(port, '127.0.0.1'), 'listening');
