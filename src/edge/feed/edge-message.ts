import { z } from 'zod';

/** State of an edge as its agent reports it, for operators. */
export const EdgeStatus = z.object({
  version: z.string().max(64),
  names: z.int().nonnegative(),
  certificates: z.int().nonnegative(),
  /** Time since the last request of a visitor. */
  idleMs: z.int().nonnegative(),
});
export type EdgeStatus = z.infer<typeof EdgeStatus>;

/** Message of an edge about its stream, for the process that feeds it. */
export const EdgeMessage = z.object({
  stream: z.uuid(),
  /** Counts requests to renew the lease. */
  renew: z.int().positive().exactOptional(),
  /** Newest batch that was applied. */
  through: z.int().nonnegative().exactOptional(),
  /** Position that was stored. */
  at: z
    .string()
    .regex(/^\d{1,20}$/)
    .exactOptional(),
  /** The edge no longer answers from its copy. */
  ends: z.boolean().exactOptional(),
});
export type EdgeMessage = z.infer<typeof EdgeMessage>;

/** A line of an edge's messages: now and then with its status, which any process records. */
export const EdgeLine = EdgeMessage.extend({ status: EdgeStatus.extend({ id: z.uuid() }).exactOptional() });
export type EdgeLine = z.infer<typeof EdgeLine>;
