import { z } from 'zod';
import { GivenId, Label, Timestamp } from './common.ts';

export const CreateToken = z.strictObject({
  application_id: GivenId,
  domain: z.string().max(1_000).exactOptional().meta({ description: 'Binds the token to this hostname.' }),
  external_id: Label(255)
    .nullable()
    .exactOptional()
    .meta({
      description:
        'Your name for the customer: connections that the token creates carry it, and the token sees no others. ' +
        'Without it the token sees only connections that have none.',
    }),
});

export const WidgetTokenCreated = z
  .object({
    auth_token: z.string().exactOptional().meta({ description: 'Told once; absent when the answer is repeated.' }),
    expires_at: Timestamp,
  })
  .meta({ id: 'WidgetToken' });
