import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { z } from 'zod';
import { jsonOf } from '../../net/json.ts';
import { ProviderError } from '../provider-error.ts';

export interface ServiceAccount {
  project: string;
  email: string;
  keyId: string;
  key: KeyObject;
  /** The private key as text, which must be redacted. */
  secret: string;
}

const KeyFile = z.object({
  type: z.literal('service_account'),
  project_id: z.string(),
  client_email: z.string(),
  private_key_id: z.string().default(''),
  private_key: z.string(),
});

/** Parses the JSON key file. Its `token_uri` is ignored: a tenant must not choose where we send the assertion. */
export function readServiceAccount(text: string): ServiceAccount {
  const file = KeyFile.safeParse(jsonOf(text)).data;
  const key = file && privateKey(file.private_key);
  if (!file || !key)
    throw new ProviderError(
      'validation',
      'Google Cloud DNS: service_account_key must be the complete JSON file of a service account key.',
    );
  return {
    project: file.project_id,
    email: file.client_email,
    keyId: file.private_key_id,
    key,
    secret: file.private_key,
  };
}

function privateKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    return undefined;
  }
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** RFC 7515 section 3.1 with RS256: RSASSA-PKCS1-v1_5 over SHA-256. */
export const signJws = (header: string, payload: string, key: KeyObject): string =>
  `${header}.${payload}.${sign('sha256', Buffer.from(`${header}.${payload}`), key).toString('base64url')}`;

const LIFETIME_SECONDS = 3_600;

/** Returns the signed assertion of the service account (RFC 7523 section 2.1). */
export function assertionOf(
  { email, keyId, key }: Pick<ServiceAccount, 'email' | 'keyId' | 'key'>,
  { scope, audience, nowMs }: { scope: string; audience: string; nowMs: number },
): string {
  const iat = Math.floor(nowMs / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId === '' ? {} : { kid: keyId }) };
  const claims = { iss: email, scope, aud: audience, exp: iat + LIFETIME_SECONDS, iat };
  return signJws(base64url(header), base64url(claims), key);
}
