import { join } from 'node:path';
import { ConsoleBrowser } from '../fixtures/console.ts';
import { startServer, type ServerProcess } from './server-process.ts';

export interface OpenIdClient {
  port: number;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  authenticatesBy: 'client_secret_basic' | 'client_secret_post';
  /** Where the provider returns claims of a scope: OpenID Connect Core, 5.4, leaves both open. */
  claimsIn: 'id token' | 'userinfo';
}

const PROGRAM = join(import.meta.dirname, 'openid-provider-process.ts');

/** Starts `oidc-provider`, a certified OpenID provider, in a process of its own. */
export const startOpenIdProvider = (client: OpenIdClient): Promise<ServerProcess> =>
  startServer(process.execPath, [PROGRAM, JSON.stringify(client)], async () => {
    const answer = await fetch(`http://127.0.0.1:${client.port}/.well-known/openid-configuration`).catch(() => null);
    return answer?.ok === true;
  });

const AS_FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/**
 * Logs a person in at the provider, as a browser would, and returns the URL of our service to which the provider sends
 * the browser. Without claims, the person refuses.
 */
export async function logIn(authorizationUrl: string, claims: Record<string, unknown> | null): Promise<string> {
  const { origin } = new URL(authorizationUrl);
  const browser = new ConsoleBrowser(origin);
  const follow = async (url: string): Promise<string> => {
    const { status, headers } = await browser.send('GET', url.replace(origin, ''), undefined, {});
    const next = new URL(headers.get('location') ?? url, origin).href;
    return status >= 300 && next.startsWith(`${origin}/auth`) ? follow(next) : next;
  };
  const answer = async (form: string, fields: Record<string, string>): Promise<string> => {
    const { headers } = await browser.send(
      'POST',
      form.replace(origin, ''),
      String(new URLSearchParams(fields)),
      AS_FORM,
    );
    return follow(headers.get('location') ?? '');
  };
  const login = await follow(authorizationUrl);
  if (claims === null) return follow(`${login}/abort`);
  const consent = await answer(login, { prompt: 'login', login: JSON.stringify(claims), password: 'any' });
  return answer(consent, { prompt: 'consent' });
}
