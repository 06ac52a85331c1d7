import type { z } from 'zod';
import { jsonOf } from '../../net/json.ts';
import { type HttpAccount, type HttpAnswer, type HttpRequest, isWrite } from './http.ts';
import type { ProviderError, ProviderErrorCode } from '../provider-error.ts';

/** Parses a successful answer. An answer that deviates from the provider's documentation is `transient`. */
export function readJson<T>(account: HttpAccount, answer: HttpAnswer, schema: z.ZodType<T>): T {
  const result = schema.safeParse(jsonOf(answer.text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue && issue.path.length > 0 ? ` at ${issue.path.join('.')}` : '';
  throw account.error('transient', `it answered ${answer.status} in a form that it does not document${where}.`);
}

export const isSuccess = (answer: HttpAnswer): boolean => answer.status >= 200 && answer.status < 300;

/** Returns the error code for a status, for use when the provider's own error code is not more precise. */
export function codeOfStatus(status: number): ProviderErrorCode {
  if (status === 401) return 'auth_failed';
  if (status === 402) return 'plan_required';
  if (status === 403) return 'forbidden_scope';
  if (status === 404) return 'zone_not_found';
  if (status === 409) return 'conflict';
  if (status === 429) return 'rate_limited';
  return status === 400 || status === 422 ? 'validation' : 'transient';
}

/** The reason for a refusal, as far as the provider's error body contains one. */
export interface Reason {
  code?: ProviderErrorCode | undefined;
  text?: string | undefined;
  retryAfterSeconds?: number | undefined;
}

/** Returns the error for a refused request, with the provider's own text and the time to wait, if there are any. */
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
    // After a 5xx from a gateway it is unknown whether the server behind it has acted.
    mayHaveChanged: code === 'transient' && isWrite(request),
  });
}

/** Whether a gateway in front of the API sent its own page, which concerns neither credential nor zone. */
const isPageOfGateway = ({ status, text }: HttpAnswer): boolean =>
  (status === 403 || status === 404) && /^\s*<(!doctype html|html)/i.test(text);

const SENTENCES: Record<ProviderErrorCode, string> = {
  auth_failed: 'the credential was refused. Check that it was copied whole and has not expired.',
  forbidden_scope: 'the credential may not do this. Give it permission to edit DNS in this zone.',
  zone_not_found: 'there is no such zone in this account.',
  record_not_found: 'there is no such record.',
  already_exists: 'the record already exists.',
  rate_limited: 'it asks us to slow down.',
  conflict: 'the record conflicts with an existing one.',
  validation: 'it refused the request as invalid.',
  transient: 'it reported an internal error.',
  plan_required: "the account's plan does not allow this.",
};
