import { z } from 'zod';
import { jsonOf } from '../../net/json.ts';
import type { Call } from '../call.ts';
import type { ProviderContext } from '../contract.ts';
import type { Descriptor } from '../descriptor.ts';
import { ProviderError } from '../provider-error.ts';
import { isSuccess, readJson, refusal } from './answer.ts';
import { type HttpAccount, rethrowAbort } from './http.ts';
import { jsonClient, type JsonClient, type JsonClientOptions } from './json-client.ts';
import type { AccessToken } from './token-cache.ts';

/** Exchange of a credential for an access token (RFC 6749 section 4.4, RFC 7523). */
export interface TokenExchange {
  descriptor: Descriptor & { token_url: string };
  context: ProviderContext;
  /** Identity that the credential claims. The same secret with another identity must not get this token. */
  identity: string;
  /** Removed from error texts. They are also a part of the account's key. */
  secrets: readonly string[];
  /** Path of the token endpoint, relative to its base URL. */
  path: string;
  /** Returns the fields of the request. Called for each request, because an assertion is valid only briefly. */
  form(): Record<string, string>;
}

/** A client of a JSON API with an access token. A 401 changed nothing, so the request is repeated with a fresh one. */
export function tokenClient(
  http: HttpAccount,
  exchange: TokenExchange,
  options: Pick<JsonClientOptions, 'reasonOf'>,
): JsonClient {
  const { tokens } = exchange.context;
  const key = `${http.key} ${exchange.identity}`;
  const api = jsonClient(http, { ...options, headers: () => ({}) });
  const tokenFor = async (call: Call | undefined): Promise<string> => {
    const token = await unlessAborted(tokens.get(key, () => fetchToken(exchange)), call?.signal); // prettier-ignore
    http.learnSecret(token);
    return token;
  };
  const send: JsonClient['send'] = async (request, call) => {
    const authorized = (token: string) => ({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }); // prettier-ignore
    const token = await tokenFor(call);
    try {
      return await api.send(authorized(token), call);
    } catch (error) {
      if (!(error instanceof ProviderError && error.code === 'auth_failed')) throw error;
      tokens.discard(key, token);
      return api.send(authorized(await tokenFor(call)), call);
    }
  };
  return { http, send, read: async (schema, request, call) => readJson(http, await send(request, call), schema) };
}

// One of Azure's token endpoints returns the seconds as text.
const Granted = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number() });
const Denied = z.object({ error: z.string(), error_description: z.string().optional() });

async function fetchToken({ descriptor, context, secrets, path, form }: TokenExchange): Promise<AccessToken> {
  const baseUrl = context.tokenUrl ?? descriptor.token_url;
  const http = context.http.account({ descriptor, baseUrl, secrets });
  const fields = form();
  for (const name of ['assertion', 'client_secret']) if (fields[name] !== undefined) http.learnSecret(fields[name]);
  const request = {
    method: 'POST',
    path,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
    writes: false,
  } as const;
  const answer = await http.send(request);
  if (!isSuccess(answer)) {
    const { error, error_description } = Denied.safeParse(jsonOf(answer.text)).data ?? {};
    // RFC 6749 section 5.2: an unknown client and an invalid grant are both answered with 400.
    const code = answer.status === 400 && error !== undefined ? 'auth_failed' : answer.status === 404 ? 'transient' : undefined; // prettier-ignore
    throw refusal(http, request, answer, { code, text: error_description ?? error });
  }
  const { access_token, expires_in } = readJson(http, answer, Granted);
  return { token: access_token, expiresAt: context.clock.now() + expires_in * 1_000 };
}

/** Rejects when the signal aborts. The request continues, because other callers wait for the same token. */
async function unlessAborted<T>(task: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return task;
  const aborted = Promise.withResolvers<never>();
  const giveUp = () => aborted.reject(new ProviderError('transient', 'The time for an access token ran out.'));
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([task, aborted.promise]);
  } catch (error) {
    rethrowAbort(signal);
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
