import { z } from 'zod';
import { RECORD_TYPES } from '../../domain/record.ts';

/** For routes without parameters, query or body; whatever is sent there is refused by name. */
export const Nothing = z.strictObject({}).optional();

export const Timestamp = z.iso.datetime({ precision: 3 });

export const Id = z.strictObject({ id: z.uuid() });

export const Record = z.object({
  host: z.string(),
  relative_host: z.string(),
  type: z.enum(RECORD_TYPES),
  value: z.string(),
  ttl: z.int(),
  priority: z.int().nullable(),
});
