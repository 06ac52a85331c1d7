import type { Sealed } from './vault.ts';

/** A sealed secret as the columns of its row. */
export interface Envelope {
  key_id: string;
  wrapped_key: Buffer;
  ciphertext: Buffer;
}

export const sealedIn = ({ key_id, wrapped_key, ciphertext }: Envelope): Sealed => ({
  keyId: key_id,
  wrappedKey: wrapped_key,
  ciphertext,
});

export const envelopeOf = ({ keyId, wrappedKey, ciphertext }: Sealed): Envelope => ({
  key_id: keyId,
  wrapped_key: wrappedKey,
  ciphertext,
});
