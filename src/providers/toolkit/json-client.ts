import type { z } from 'zod';
import type { Call } from '../call.ts';
import { isSuccess, jsonOf, readJson, refusal, type Reason } from './answer.ts';
import type { HttpAccount, HttpAnswer, HttpRequest } from './http.ts';

export interface JsonRequest extends Omit<HttpRequest, 'body' | 'headers'> {
  /** Sent as the body. */
  json?: unknown;
  headers?: Readonly<Record<string, string>>;
}

type Headers = Readonly<Record<string, string>>;

export interface JsonClientOptions {
  /** Sent with every request; asked for anew each time, because access tokens expire and signatures are of one request. */
  headers(call: Call | undefined, sent: HttpRequest): Headers | Promise<Headers>;
  /** What the provider's own error body says; what it leaves open, the status decides. */
  reasonOf?(body: unknown, answer: HttpAnswer): Reason;
  /** An answer of status 2xx that is a refusal all the same. */
  isRefusal?(body: unknown): boolean;
}

/** A JSON API: every request with its headers, every answer parsed or turned into the refusal that it is. */
export interface JsonClient {
  /** The answer as its schema says; one that is not is as good as none. */
  read<T>(schema: z.ZodType<T>, request: JsonRequest, call?: Call): Promise<T>;
  /** The same for requests whose answer's body says nothing that matters. */
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

/** The header of most providers. */
export const bearer = (token: string) => (): Record<string, string> => ({ authorization: `Bearer ${token}` });
