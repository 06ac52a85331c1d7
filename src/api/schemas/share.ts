import { z } from 'zod';
import { Timestamp } from './common.ts';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

export const ShareConnection = z
  .strictObject({
    expires_in: z
      .int()
      .min(HOUR_S)
      .max(30 * DAY_S)
      .default(7 * DAY_S)
      .meta({
        description: 'Lifetime of the link in seconds, from one hour to 30 days. Defaults to 7 days.',
        example: 604_800,
      }),
  })
  .prefault({});

export const ShareLinkCreated = z.object({
  url: z.url().meta({
    description: 'Returned only once. Anyone who has the link sees the records of this connection, and nothing else.',
    example: 'https://api.example.net/share/kX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0',
  }),
  expires_at: Timestamp.meta({ description: 'Time at which the link expires.' }),
});
