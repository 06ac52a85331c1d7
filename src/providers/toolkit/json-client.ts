import type { z } from 'zod';
import { jsonOf } from '../../net/json.ts';
import type { Call } from '../call.ts';
import { isSuccess, readJson, refusal, type Reason } from './answer.ts';
import type { HttpAccount, HttpAnswer, HttpRequest } from './http.ts';

export interface JsonRequest extends Omit<HttpRequest, 'body' | 'headers'> {
  json?: unknown;
  headers?: Readonly<Record<string, string>>;
}

type Headers = Readonly<Record<string, string>>;

export interface JsonClientOptions {
  /** Returns the headers of each request, because tokens expire and a signature covers one request. */
  headers(call: Call | undefined, sent: HttpRequest): Headers | Promise<Headers>;
  /** Returns the reason in the provider's error body. The status decides everything that the body leaves open. */
  reasonOf?(body: unknown, answer: HttpAnswer): Reason;
  /** Whether an answer with status 2xx is a refusal. */
  isRefusal?(body: unknown): boolean;
}

/** A client of a JSON API. It adds headers to every request and turns every refusal into a ProviderError. */
export interface JsonClient {
  /** Returns the parsed answer. An answer that does not match the schema is `transient`. */
  read<T>(schema: z.ZodType<T>, request: JsonRequest, call?: Call): Promise<T>;
  /** Sends a request without parsing the answer's body. */
  send(request: JsonRequest, call?: Call): Promise<HttpAnswer>;
  http: HttpAccount;
}

export function jsonClient(http: HttpAccount, { headers, reasonOf, isRefusal }: JsonClientOptions): JsonClient {
  const send: JsonClient['send'] = async ({ json, headers: more, ...request }, call) => {
    const sent = { ...request, ...(json === undefined ? {} : { body: JSON.stringify(json) }) };
    const answer = await http.send(
      {
        ...sent,
        headers: {
          accept: 'application/json',
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(await headers(call, sent)),
          ...more,
        },
      },
      call,
    );
    const body = isSuccess(answer) && isRefusal === undefined ? undefined : jsonOf(answer.text);
    if (isSuccess(answer) && isRefusal?.(body) !== true) return answer;
    throw refusal(http, request, answer, reasonOf?.(body, answer));
  };
  return { http, send, read: async (schema, request, call) => readJson(http, await send(request, call), schema) };
}

export const bearer = (token: string) => (): Record<string, string> => ({ authorization: `Bearer ${token}` });
