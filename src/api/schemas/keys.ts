import { z } from 'zod';
import { SCOPES } from '../../domain/scope.ts';
import {
  ApplicationId,
  CreatedAt,
  Environment,
  GivenId,
  Label,
  ListOf,
  ObjectId,
  pageOf,
  Timestamp,
} from './common.ts';

export const CreateKey = z.strictObject({
  name: Label(100).meta({ description: 'Name of the key in lists.', example: 'Backend' }),
  scopes: ListOf(z.enum(SCOPES), { min: 1, max: SCOPES.length })
    .exactOptional()
    .meta({
      description: 'Scopes of the new key. Defaults to the scopes of the calling key.',
      example: ['connections:read', 'connections:write'],
    }),
});

export const ApiKey = z
  .object({
    id: ObjectId,
    application_id: ApplicationId,
    name: z.string().meta({ description: 'Name of the key in lists.', example: 'Backend' }),
    last4: z.string().meta({ description: 'Last four characters of the secret.', example: '7Qx2' }),
    environment: Environment,
    scopes: z
      .array(z.enum(SCOPES))
      .meta({ description: 'What the key may do.', example: ['connections:read', 'connections:write'] }),
    created_at: CreatedAt,
    last_used_at: Timestamp.nullable().meta({
      description: 'Time of the last request, to the minute. Null if unused.',
    }),
    revoked_at: Timestamp.nullable().meta({ description: 'Time of the revocation, or null.', example: null }),
  })
  .meta({ id: 'ApiKey' });

export const ApiKeyCreated = ApiKey.extend({
  secret: z
    .string()
    .exactOptional()
    .meta({ description: 'Returned only once, not in a replay.', example: 'sk_live_4fV0…' }),
}).meta({ id: 'ApiKeyCreated' });

export const ApiKeyList = pageOf(ApiKey);

export const KeyPath = z.strictObject({
  id: GivenId.meta({ description: 'Id of the application.' }),
  keyId: GivenId.meta({ description: 'Id of the key.' }),
});
