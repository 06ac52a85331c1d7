import { z } from 'zod';
import { Environment, pageOf, Timestamp } from './common.ts';

const AuditEntry = z
  .object({
    id: z.uuid(),
    created_at: Timestamp,
    environment: Environment,
    actor: z.object({
      kind: z.enum(['key', 'operator']),
      key_id: z.uuid().nullable().meta({ example: '0192f0c2-2222-7abc-8def-0123456789ab' }),
    }),
    action: z.string().meta({ description: 'New actions may be added.', example: 'key.created' }),
    target_id: z.uuid(),
    fields: z.array(z.string()).meta({
      description: 'Names of the fields in the request. Values are not logged.',
      example: ['name', 'scopes'],
    }),
    request_id: z.string().nullable().meta({ example: 'b7c6f9d2-3c1e-4a55-9f0e-2f7f5a1f0b11' }),
  })
  .meta({ id: 'AuditEntry' });

export const AuditList = pageOf(AuditEntry);
