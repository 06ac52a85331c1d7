import { z } from 'zod';
import { Environment, pageOf, Timestamp } from './common.ts';

const AuditEntry = z
  .object({
    id: z.uuid(),
    created_at: Timestamp,
    environment: Environment,
    actor: z.object({ kind: z.enum(['key', 'operator']), key_id: z.uuid().nullable() }),
    action: z.string().meta({ description: 'What was done, such as key.created; new ones may be added.' }),
    target_id: z.uuid(),
    fields: z.array(z.string()).meta({ description: 'Names of the fields that were given; never their values.' }),
    request_id: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' });

export const AuditList = pageOf(AuditEntry);
