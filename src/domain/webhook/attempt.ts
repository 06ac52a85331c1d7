/** Outcomes of attempts. `delivered` is any 2xx. The others are failures by cause. */
export const ATTEMPT_OUTCOMES = [
  'delivered',
  'http_3xx',
  'http_4xx',
  'http_5xx',
  'timeout',
  'dns_error',
  'blocked_address',
  'connection_refused',
  'connection_failed',
  'tls_error',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export function outcomeOfStatus(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return 'delivered';
  if (status >= 500) return 'http_5xx';
  return status >= 400 ? 'http_4xx' : 'http_3xx';
}

/** Whether the receiver answered 410 Gone, which ends all deliveries to it. */
export const isGone = (status: number | null): boolean => status === 410;
