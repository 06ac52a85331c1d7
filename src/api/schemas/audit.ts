import { z } from 'zod';
import { Environment, ObjectId, pageOf, Timestamp } from './common.ts';

const AuditEntry = z
  .object({
    id: ObjectId,
    created_at: Timestamp.meta({ description: 'Time of the action.' }),
    environment: Environment,
    actor: z
      .object({
        kind: z.enum(['key', 'operator', 'session']).meta({
          description: 'Whether an API key, an operator, or a person in the console acted.',
        }),
        key_id: z.uuid().nullable().meta({
          description: 'Id of the API key. Null for an operator and for a console session.',
          example: '0192f0c2-2222-7abc-8def-0123456789ab',
        }),
        session_id: z
          .uuid()
          .nullable()
          .meta({ description: 'Id of the console session. Null for a key and for an operator.', example: null }),
      })
      .meta({ description: 'Who acted.' }),
    action: z.string().meta({ description: 'What was done. New actions may be added.', example: 'key.created' }),
    target_id: z.uuid().meta({ description: 'Id of the object that was changed.' }),
    fields: z.array(z.string()).meta({
      description: 'Names of the fields in the request. Values are not logged.',
      example: ['name', 'scopes'],
    }),
    request_id: z
      .string()
      .nullable()
      .meta({ description: 'X-Request-Id of the request, or null.', example: 'b7c6f9d2-3c1e-4a55-9f0e-2f7f5a1f0b11' }),
  })
  .meta({ id: 'AuditEntry' });

export const AuditList = pageOf(AuditEntry);
