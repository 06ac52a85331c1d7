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
      .meta({ description: 'How long the link works, in seconds: an hour to 30 days, 7 days if left out.' }),
  })
  .prefault({});

export const ShareLinkCreated = z.object({
  url: z.url().meta({ description: 'Answered once. Whoever has it sees the records of this connection, and no more.' }),
  expires_at: Timestamp,
});
