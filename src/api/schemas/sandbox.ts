import { z } from 'zod';
import { RECORD_TYPES, TTL_DEFAULT } from '../../domain/record.ts';
import { ListOf, ListQuery, pageOf, Timestamp, Ttl } from './common.ts';

/** A name in the sandbox's DNS: below .test, with underscores or a first star allowed, and without a trailing dot. */
const SandboxHost = z
  .string()
  .max(253)
  .regex(/^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+test$/, 'must be a lower-case name below .test')
  .meta({ description: 'Fully qualified name below .test.', example: 'shop.brand.test' });

const fields = {
  host: SandboxHost,
  type: z.enum(RECORD_TYPES).meta({ description: 'Record type.', example: 'CNAME' }),
  value: z
    .string()
    .min(1)
    .max(2_000)
    .meta({ description: 'Record value, without quotes.', example: 'edge.example.net' }),
};

const SandboxRecord = z
  .object({
    ...fields,
    ttl: z.int().meta({ description: 'Time to live in seconds.', example: 300 }),
    priority: z.int().nullable().meta({ description: 'Null unless the type is MX or SRV.', example: null }),
  })
  .meta({ id: 'SandboxRecord' });

export const PutSandboxRecords = z.strictObject({
  records: ListOf(
    z.strictObject({
      ...fields,
      ttl: Ttl.default(TTL_DEFAULT),
      priority: z
        .int()
        .min(0)
        .max(65_535)
        .nullable()
        .meta({ description: 'For MX and SRV only.', example: null })
        .default(null),
    }),
    { max: 100 },
  ).meta({ description: 'Records to publish. They replace all records with the same host and type.' }),
  remove: ListOf(z.strictObject({ host: SandboxHost, type: fields.type.exactOptional() }), { max: 100 })
    .prefault([])
    .meta({ description: 'Hosts, or record types at a host, from which to remove all records.' }),
});

export const SandboxRecords = z.object({
  data: z.array(SandboxRecord).meta({ description: 'All records of the given hosts.' }),
});

export const SandboxQuery = ListQuery;

export const SandboxRecordList = pageOf(
  SandboxRecord.extend({
    visible_at: Timestamp.meta({ description: 'Time from which DNS answers with the record.' }),
  }).meta({ id: 'ListedSandboxRecord' }),
);
