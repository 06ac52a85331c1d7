import { z } from 'zod';

/** Messages of an ACME server (RFC 8555 section 7.1). Fields that we do not use are dropped. */

/** Public half of an account's key (RFC 7517), P-256. */
export const Jwk = z.object({ crv: z.literal('P-256'), kty: z.literal('EC'), x: z.string(), y: z.string() });
export type Jwk = z.infer<typeof Jwk>;

export const Problem = z.object({
  type: z.string().default('about:blank'),
  detail: z.string().default(''),
  subproblems: z.array(z.object({ type: z.string(), detail: z.string().default('') })).default([]),
});
export type Problem = z.infer<typeof Problem>;

export const Directory = z.object({
  newNonce: z.url(),
  newAccount: z.url(),
  newOrder: z.url(),
  /** ARI (RFC 9773). */
  renewalInfo: z.url().optional(),
});
export type Directory = z.infer<typeof Directory>;

export const Order = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  identifiers: z.array(z.object({ value: z.string() })),
  authorizations: z.array(z.url()),
  finalize: z.url(),
  certificate: z.url().optional(),
  error: Problem.optional(),
});
export type Order = z.infer<typeof Order>;

const Challenge = z.object({
  type: z.string(),
  url: z.url(),
  status: z.enum(['pending', 'processing', 'valid', 'invalid']),
  token: z.string().optional(),
  error: Problem.optional(),
});

export const Authorization = z.object({
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  identifier: z.object({ value: z.string() }),
  challenges: z.array(Challenge),
});
export type Authorization = z.infer<typeof Authorization>;

/** The period in which the CA wants a certificate renewed (RFC 9773 section 4.2). */
export const RenewalInfo = z.object({
  suggestedWindow: z.object({ start: z.coerce.date(), end: z.coerce.date() }),
});
export type RenewalInfo = z.infer<typeof RenewalInfo>;
