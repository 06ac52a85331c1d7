import { z } from 'zod';
import { CreatedAt, GivenId, ObjectId, pageOf, Timestamp } from './common.ts';

const ActiveFrom = Timestamp.meta({ description: 'Time from which edges sign with the secret.' });

export const CreateEdgeSecret = z
  .strictObject({
    now: z.boolean().exactOptional().meta({
      description: 'Edges sign with the secret when the call returns. It replaces a secret that is not active yet.',
    }),
  })
  .meta({ example: { now: true } })
  .optional();

export const EdgeSecret = z
  .object({ id: ObjectId, active_from: ActiveFrom, created_at: CreatedAt })
  .meta({ id: 'EdgeSecret' });

export const EdgeSecretCreated = EdgeSecret.extend({
  secret: z
    .string()
    .exactOptional()
    .meta({ description: 'Returned only once, not in a replay.', example: 'edgesec_MfKQ…' }),
}).meta({ id: 'EdgeSecretCreated' });

export const EdgeSecretList = pageOf(EdgeSecret);

export const EdgeSecretPath = z.strictObject({
  id: GivenId.meta({ description: 'Id of the application.' }),
  secret_id: GivenId.meta({ description: 'Id of the secret.' }),
});
