import { z } from 'zod';
import { SCOPES } from '../../domain/scope.ts';
import { ApplicationId, Environment, GivenId, Label, ListOf, pageOf, Timestamp } from './common.ts';

export const CreateKey = z.strictObject({
  name: Label(100).meta({ example: 'Backend' }),
  scopes: ListOf(z.enum(SCOPES), { min: 1, max: SCOPES.length })
    .exactOptional()
    .meta({
      description: 'Scopes of the new key. Defaults to the scopes of the calling key.',
      example: ['connections:read', 'connections:write'],
    }),
});

export const ApiKey = z
  .object({
    id: z.uuid(),
    application_id: ApplicationId,
    name: z.string().meta({ example: 'Backend' }),
    last4: z.string().meta({ example: '7Qx2' }),
    environment: Environment,
    scopes: z.array(z.enum(SCOPES)).meta({ example: ['connections:read', 'connections:write'] }),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable().meta({ example: null }),
  })
  .meta({ id: 'ApiKey' });

export const ApiKeyCreated = ApiKey.extend({
  secret: z
    .string()
    .exactOptional()
    .meta({ description: 'Returned only once, not in a replay.', example: 'sk_live_4fV0…' }),
}).meta({ id: 'ApiKeyCreated' });

export const ApiKeyList = pageOf(ApiKey);

export const KeyPath = z.strictObject({ id: GivenId, keyId: GivenId });
