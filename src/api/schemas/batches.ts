import { z } from 'zod';
import { BATCH_LIMIT, BATCH_RESULTS } from '../../domain/connection/batch.ts';
import { ERROR_CODES, STATES } from '../../domain/connection/connection.ts';
import { GivenId, Label, ListOf, ListQuery, pageOf, Timestamp } from './common.ts';
import { Challenge } from './connections.ts';

const GivenHostname = z.string().max(1_000);
const BatchEntry = z.union([
  GivenHostname,
  z.strictObject({ hostname: GivenHostname, external_id: Label(255).nullable().exactOptional() }),
]);

export const CreateBatch = z.strictObject({
  application_id: GivenId,
  hostnames: ListOf(BatchEntry, { min: 1, max: BATCH_LIMIT }).meta({
    description: `Up to ${BATCH_LIMIT} names, or objects of a name and your name for the customer.`,
  }),
});

const RowProblem = z.object({
  code: z.string(),
  message: z.string(),
  suggestion: z.string().optional().meta({ description: 'The name that was probably meant.' }),
});

const row = {
  row: z.int().meta({ description: 'The place in the list that was sent, from 1.' }),
  hostname: z.string(),
  external_id: z.string().nullable(),
  result: z.enum(BATCH_RESULTS),
  connection_id: z
    .uuid()
    .nullable()
    .meta({ description: 'Of a conflict: the connection of yours that holds the name.' }),
  problem: RowProblem.nullable().meta({ description: 'Why the row was refused.' }),
};

const batch = {
  batch_id: z.uuid(),
  application_id: z.uuid(),
  created_at: Timestamp,
  completed_at: Timestamp.nullable().meta({
    description: 'When the last of its connections was live, failed or archived.',
  }),
  total: z.int(),
  results: z.object({
    created: z.int(),
    existing: z.int(),
    conflict: z.int(),
    invalid: z.int(),
    quota_exceeded: z.int(),
  }),
  states: z.record(z.string(), z.int()).meta({ description: 'How many of its connections are in which state.' }),
};

export const BatchCreated = z
  .object({ ...batch, rows: z.array(z.object({ ...row, ownership_challenge: Challenge.nullable() })) })
  .meta({ id: 'BatchCreated' });

export const BatchQuery = ListQuery;

export const Batch = z
  .object({
    ...batch,
    failures: pageOf(
      z.object({ ...row, state: z.enum(STATES).nullable(), error_code: z.enum(ERROR_CODES).nullable() }),
    ).meta({ description: 'Rows that were refused, and those whose connection has failed, in their order.' }),
  })
  .meta({ id: 'Batch' });
