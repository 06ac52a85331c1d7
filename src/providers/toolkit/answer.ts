import type { z } from 'zod';
import { type HttpAccount, type HttpAnswer, type HttpRequest, isWrite } from './http.ts';
import type { ProviderError, ProviderErrorCode } from '../provider-error.ts';

/** Parses a successful answer. One that is not what the provider documents is as good as none: `transient`. */
export function readJson<T>(account: HttpAccount, answer: HttpAnswer, schema: z.ZodType<T>): T {
  const result = schema.safeParse(jsonOf(answer.text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue && issue.path.length > 0 ? ` at ${issue.path.join('.')}` : '';
  throw account.error(
    'transient',
    `it answered ${answer.status} with something that is not its documented form${where}.`,
  );
}

/** The body as JSON, or nothing: errors of gateways and old servers are HTML or plain text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export const isSuccess = (answer: HttpAnswer): boolean => answer.status >= 200 && answer.status < 300;

/** What a status means when the provider's own error code says nothing more precise. */
export function codeOfStatus(status: number): ProviderErrorCode {
  if (status === 401) return 'auth_failed';
  if (status === 402) return 'plan_required';
  if (status === 403) return 'forbidden_scope';
  if (status === 404) return 'zone_not_found';
  if (status === 409) return 'conflict';
  if (status === 429) return 'rate_limited';
  return status === 400 || status === 422 ? 'validation' : 'transient';
}

/** What a provider's error body says of a refusal, as far as it does. */
export interface Reason {
  code?: ProviderErrorCode | undefined;
  text?: string | undefined;
  retryAfterSeconds?: number | undefined;
}

/** The error for a refused request: in the provider's own words, if it had any, and with what it asks us to wait. */
export function refusal(
  account: HttpAccount,
  request: Pick<HttpRequest, 'method' | 'writes'>,
  answer: HttpAnswer,
  reason: Reason = {},
): ProviderError {
  const code = reason.code ?? (isPageOfGateway(answer) ? 'transient' : codeOfStatus(answer.status));
  const text = reason.text === undefined || reason.text === '' ? SENTENCES[code] : reason.text;
  return account.error(code, `${text} (HTTP ${answer.status})`, {
    retryAfterSeconds: code === 'rate_limited' ? (reason.retryAfterSeconds ?? answer.retryAfterSeconds) : undefined,
    // A gateway's 5xx does not tell whether the server behind it has acted.
    mayHaveChanged: code === 'transient' && isWrite(request),
  });
}

/** Filters and proxies in front of an API refuse with a page of their own: neither the credential nor the zone was judged. */
const isPageOfGateway = ({ status, text }: HttpAnswer): boolean =>
  (status === 403 || status === 404) && /^\s*<(!doctype html|html)/i.test(text);

const SENTENCES: Record<ProviderErrorCode, string> = {
  auth_failed: 'the credential was refused. Check that it was copied whole and has not expired.',
  forbidden_scope: 'the credential may not do this. Give it permission to edit DNS in this zone.',
  zone_not_found: 'there is no such zone in this account.',
  record_not_found: 'there is no such record.',
  already_exists: 'the record exists already.',
  rate_limited: 'it asks us to slow down.',
  conflict: 'the record conflicts with one that stands.',
  validation: 'the request was refused as invalid.',
  transient: 'it has a problem of its own.',
  plan_required: "the account's plan does not allow this.",
};
