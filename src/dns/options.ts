import { z } from 'zod';
import { endpointSchema } from './endpoint.ts';
import { DEFAULT_TIMEOUTS } from './resolver.ts';

/**
 * How to look. Resolvers are the operator's own choice and are asked wherever they stand; every other address is learned
 * from DNS, so a stranger chose it, and only public ones are asked unless `allowPrivate` says that this is a laboratory.
 */
export const observerOptions = z.object({
  resolvers: z.array(endpointSchema).min(1, 'Name at least one resolver in DNS_RESOLVERS.'),
  authoritativePort: z.int().min(1).max(65_535).default(53),
  allowPrivate: z.boolean().default(false),
  timeouts: z
    .object({
      udpMs: z.int().positive().default(DEFAULT_TIMEOUTS.udpMs),
      udpAttempts: z.int().positive().default(DEFAULT_TIMEOUTS.udpAttempts),
      tcpMs: z.int().positive().default(DEFAULT_TIMEOUTS.tcpMs),
      checkMs: z.int().positive().default(DEFAULT_TIMEOUTS.checkMs),
    })
    .prefault({}),
});

export type ObserverOptions = z.input<typeof observerOptions>;
export type ObserverSettings = z.output<typeof observerOptions>;
