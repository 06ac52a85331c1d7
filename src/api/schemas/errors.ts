import { z } from 'zod';

/** The one shape of every refusal. */
export const ErrorBody = z
  .object({
    error: z.object({
      code: z.string().meta({ description: 'Stable and made for programs; new ones may be added.' }),
      message: z.string().meta({ description: 'What happened and what to do, for people.' }),
      details: z.unknown().meta({ description: 'More by code, or null.' }),
    }),
    upgrade_url: z.url().optional().meta({ description: 'With QuotaExceeded only.' }),
  })
  .meta({ id: 'Error' });
