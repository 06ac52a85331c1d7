import { z } from 'zod';
import { endpointSchema } from './endpoint.ts';
import { DEFAULT_TIMEOUTS } from './resolver.ts';

/**
 * Settings of the observer, which queries DNS for checks. Strangers choose the authoritative name servers, so servers
 * with private addresses are queried only if `allowPrivate` is set.
 */
export const observerOptions = z.object({
  resolvers: z.array(endpointSchema).min(1, 'Set at least one resolver in DNS_RESOLVERS.'),
  authoritativePort: z.int().min(1).max(65_535).default(53),
  allowPrivate: z.boolean().default(false),
  timeouts: z
    .object({
      udpMs: z.int().positive().default(DEFAULT_TIMEOUTS.udpMs),
      udpAttempts: z.int().positive().default(DEFAULT_TIMEOUTS.udpAttempts),
      tcpMs: z.int().positive().default(DEFAULT_TIMEOUTS.tcpMs),
      /** Limit of a whole check, with all of its queries. */
      checkMs: z.int().positive().default(DEFAULT_TIMEOUTS.checkMs),
    })
    .prefault({}),
});

export type ObserverOptions = z.input<typeof observerOptions>;
export type ObserverSettings = z.output<typeof observerOptions>;
