import { createHmac, randomBytes } from 'node:crypto';
import type { EndpointSecrets } from '../domain/webhook/secret.ts';

const PREFIX = 'whsec_';

export const mintWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64');

/** What is signed: the exact bytes of the body, the event they tell of, and the moment of this attempt. */
export interface Signable {
  eventId: string;
  body: Buffer;
  /** Seconds since the epoch. */
  timestamp: number;
}

/**
 * The contract's pair and the trio of Standard Webhooks 1.0 beside it. X-Svc-Signature has one value, so it is made with
 * the secret that signs today; webhook-signature may hold several, so it also carries the one that comes next.
 */
export function signatureHeaders(
  { eventId, body, timestamp }: Signable,
  { current, next }: EndpointSecrets,
): Record<string, string> {
  const standard = [current, ...(next === null ? [] : [next.secret])].map(
    (secret) => `v1,${hmac(keyOf(secret), `${eventId}.${timestamp}.`, body).toString('base64')}`,
  );
  return {
    'x-svc-timestamp': String(timestamp),
    'x-svc-signature': `sha256=${hmac(current, `${timestamp}.`, body).toString('hex')}`,
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  };
}

const hmac = (key: string | Buffer, prefix: string, body: Buffer): Buffer =>
  createHmac('sha256', key).update(prefix).update(body).digest();

/** Standard Webhooks keys by the decoded bytes; the contract by the whole text. */
const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');
