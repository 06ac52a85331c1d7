import { z } from 'zod';
import { SCOPES } from '../../domain/scope.ts';
import { Environment, GivenId, Label, ListOf, pageOf, Timestamp } from './common.ts';

export const CreateKey = z.strictObject({
  name: Label(100),
  scopes: ListOf(z.enum(SCOPES), { min: 1, max: SCOPES.length })
    .exactOptional()
    .meta({ description: "The caller's unless given." }),
});

export const ApiKey = z
  .object({
    id: z.uuid(),
    application_id: z.uuid(),
    name: z.string(),
    last4: z.string(),
    environment: Environment,
    scopes: z.array(z.enum(SCOPES)),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });

export const ApiKeyCreated = ApiKey.extend({
  secret: z.string().exactOptional().meta({ description: 'Told once; absent when the answer is repeated.' }),
}).meta({ id: 'ApiKeyCreated' });

export const ApiKeyList = pageOf(ApiKey);

export const KeyPath = z.strictObject({ id: GivenId, keyId: GivenId });
