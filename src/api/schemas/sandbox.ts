import { z } from 'zod';
import { RECORD_TYPES, TTL_DEFAULT } from '../../domain/record.ts';
import { ListOf, Ttl } from './common.ts';

/** A name of the sandbox's DNS: below .test, underscores allowed, without a trailing dot. */
const SandboxHost = z
  .string()
  .max(253)
  .regex(/^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+test$/, 'must be a lower-case name under .test');

const fields = {
  host: SandboxHost,
  type: z.enum(RECORD_TYPES),
  value: z.string().min(1).max(2_000),
};

const SandboxRecord = z.object({ ...fields, ttl: z.int(), priority: z.int().nullable() }).meta({ id: 'SandboxRecord' });

export const PutSandboxRecords = z.strictObject({
  records: ListOf(
    z.strictObject({
      ...fields,
      ttl: Ttl.default(TTL_DEFAULT),
      priority: z.int().min(0).max(65_535).nullable().default(null),
    }),
    { max: 100 },
  ).meta({ description: 'At each host and type named here, exactly these values stand afterwards.' }),
  remove: ListOf(z.strictObject({ host: SandboxHost, type: z.enum(RECORD_TYPES).exactOptional() }), { max: 100 })
    .prefault([])
    .meta({ description: 'Hosts, or types at a host, at which nothing stands afterwards.' }),
});

export const SandboxRecords = z.object({ data: z.array(SandboxRecord) });
