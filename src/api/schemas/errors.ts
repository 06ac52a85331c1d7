import { z } from 'zod';
import type { ErrorCode } from '../../domain/errors.ts';

export const ErrorBody = z
  .object({
    error: z
      .object({
        code: z.string().meta({ description: 'Stable code for programs. New codes may be added.' }),
        message: z.string().meta({ description: 'Explanation for people: what happened and what to do.' }),
        details: z.unknown().meta({ description: 'More data, depending on the code, or null.' }),
      })
      .meta({ description: 'What went wrong.' }),
    upgrade_url: z.url().optional().meta({ description: 'Page to upgrade the plan. Only with QuotaExceeded.' }),
  })
  .meta({ id: 'Error' });

/** Id of the request, which the operator finds in the log. */
const REF = { ref: 'b7c6f9d2-3c1e-4a55-9f0e-2f7f5a1f0b11' };

/**
 * Typical message of each code, with details if there are any. A widget token lets a customer use the widget, the
 * dialog on the tenant's page. A connect is the creation of a connection, which plans limit.
 */
const EXAMPLES: Record<ErrorCode, [message: string, details?: unknown]> = {
  invalid: [
    'hostname is required.',
    [{ path: 'body.hostname', code: 'invalid_type', message: 'hostname is required.' }],
  ],
  unauthorized: ['Send a valid API key or widget token as "Authorization: Bearer <credential>".'],
  QuotaExceeded: [
    'The plan growth allows 100 connects a month, and all are used.',
    { limit: 100, used: 100, plan: 'growth', period_end: '2026-05-01T00:00:00.000Z' },
  ],
  forbidden: ['This credential lacks the scope connections:write.'],
  not_found: ['No such object.'],
  method_not_allowed: ['This path does not support that method. See the Allow header.'],
  request_timeout: ['The request did not arrive in time.'],
  HostnameConflict: [
    'shop.brand.test is already connected by a connection of yours in the test environment.',
    { hostname: 'shop.brand.test', same_tenant: true, connection_id: '0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f' },
  ],
  ownership_not_found: [
    'There is no TXT record at _service-challenge.shop.brand.test yet.',
    {
      name: '_service-challenge.shop.brand.test',
      expected: 'zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0',
      outcome: 'missing',
      observed: [],
      checked_at: '2026-04-01T12:00:00.000Z',
    },
  ],
  invalid_state: ['The connection is archived. Create a new one.'],
  idempotency_in_progress: ['The first request with this Idempotency-Key is still running.'],
  payload_too_large: ['The body is larger than 100 kB.'],
  unsupported_media_type: ['Send the body as application/json.'],
  idempotency_key_reused: ['This Idempotency-Key was used with another body.'],
  rate_limited: ['Too many requests. Try again in 1 s.'],
  headers_too_large: ['The request line and headers are larger than 16 kB.'],
  internal: ['Something went wrong on our side.', REF],
  billing_unavailable: ['This service has no billing provider configured.'],
  provider_error: ['cloudflare did not answer in time.'],
  unavailable: ['The database cannot serve this now. Try again.', REF],
};

export function errorExample(code: ErrorCode) {
  const [message, details = null] = EXAMPLES[code];
  return { error: { code, message, details } };
}
