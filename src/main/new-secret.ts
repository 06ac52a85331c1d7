import { randomBytes } from 'node:crypto';

/** A key ring of one key, as CREDENTIAL_KEYS and its kind are written. */
export const newKey = (): string => `k1:${randomBytes(32).toString('base64')}`;

export const newPassword = (): string => randomBytes(24).toString('base64url');
