import { createHash } from 'node:crypto';

export interface OvhKey {
  applicationKey: string;
  applicationSecret: string;
  consumerKey: string;
}

/** Returns the headers that sign one request: its method, its URL, the exact bytes of its body and the time. */
export function signOvh(
  { method, url, body = '' }: { method: string; url: string; body?: string | undefined },
  { applicationKey, applicationSecret, consumerKey }: OvhKey,
  timestamp: number,
): Record<string, string> {
  const signed = [applicationSecret, consumerKey, method, url, body, timestamp].join('+');
  return {
    'x-ovh-application': applicationKey,
    'x-ovh-consumer': consumerKey,
    'x-ovh-timestamp': String(timestamp),
    'x-ovh-signature': `$1$${createHash('sha1').update(signed).digest('hex')}`,
  };
}
