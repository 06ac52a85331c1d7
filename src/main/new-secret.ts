import { randomBytes } from 'node:crypto';

/** Returns a key ring with one key, in the form of CREDENTIAL_KEYS. */
export const newKey = (): string => `k1:${randomBytes(32).toString('base64')}`;

export const newPassword = (): string => randomBytes(24).toString('base64url');
