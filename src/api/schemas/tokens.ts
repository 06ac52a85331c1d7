import { z } from 'zod';
import { GivenId, Timestamp } from './common.ts';

export const CreateToken = z.strictObject({
  application_id: GivenId,
  domain: z.string().max(1_000).exactOptional().meta({ description: 'Binds the token to this hostname.' }),
});

export const WidgetTokenCreated = z
  .object({
    auth_token: z.string().exactOptional().meta({ description: 'Told once; absent when the answer is repeated.' }),
    expires_at: Timestamp,
  })
  .meta({ id: 'WidgetToken' });
