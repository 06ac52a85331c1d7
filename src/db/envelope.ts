import { z } from 'zod';

/** Columns of a secret that the vault has encrypted. */
export const Envelope = z.object({
  key_id: z.string(),
  wrapped_key: z.instanceof(Buffer),
  ciphertext: z.instanceof(Buffer),
});
export type Envelope = z.infer<typeof Envelope>;
