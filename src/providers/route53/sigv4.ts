import { createHash, createHmac } from 'node:crypto';

export interface AwsKey {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

export interface Signable {
  method: string;
  url: URL;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/**
 * Returns the headers of AWS Signature Version 4. AWS signs the path with a second percent-encoding. Our paths have
 * only unreserved characters (RFC 3986), so we sign them unencoded.
 */
export function signV4(
  { method, url, headers = {}, body = '' }: Signable,
  key: AwsKey,
  scope: { region: string; service: string; now: Date },
): Record<string, string> {
  const timestamp = scope.now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const date = timestamp.slice(0, 8);
  const sent: Record<string, string> = {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    'x-amz-date': timestamp,
    ...(key.sessionToken === undefined ? {} : { 'x-amz-security-token': key.sessionToken }),
  };
  const signed = Object.entries({ ...sent, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');

  const canonicalRequest = [
    method,
    url.pathname,
    canonicalQuery(url.searchParams),
    ...signed.map(([name, value]) => `${name}:${value.trim().replace(/\s+/g, ' ')}`),
    '',
    names,
    sha256(body),
  ].join('\n');

  const credentialScope = `${date}/${scope.region}/${scope.service}/aws4_request`;
  const stringToSign = ['AWS4-HMAC-SHA256', timestamp, credentialScope, sha256(canonicalRequest)].join('\n');
  const signingKey = [date, scope.region, scope.service, 'aws4_request'].reduce<Buffer>(
    (previous, part) => hmac(previous, part),
    Buffer.from(`AWS4${key.secretAccessKey}`),
  );
  const signature = hmac(signingKey, stringToSign).toString('hex');
  const credential = `${key.accessKeyId}/${credentialScope}`;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** Returns the query in the form that AWS signs: sorted, and percent-encoded by RFC 3986 (a space is %20). */
function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
