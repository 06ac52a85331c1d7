import { createHash } from 'node:crypto';

export interface OvhKey {
  applicationKey: string;
  applicationSecret: string;
  consumerKey: string;
}

/** The headers that sign one request: over its method, its whole address, the exact bytes of its body and the moment. */
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
