import { createHmac, randomBytes } from 'node:crypto';
import type { EndpointSecrets } from '../domain/webhook/secret.ts';

const PREFIX = 'whsec_';

export const mintWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64');

/** The signed content: the exact bytes of the body, the event, and the time of this attempt. */
export interface Signable {
  eventId: string;
  body: Buffer;
  /** Seconds since the epoch. */
  timestamp: number;
}

/** Returns our two headers and the three of Standard Webhooks 1.0. webhook-signature also uses the next secret. */
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

/** Standard Webhooks uses the decoded bytes as the key, the contract the whole text. */
const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');
