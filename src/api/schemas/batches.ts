import { z } from 'zod';
import { BATCH_LIMIT, BATCH_RESULTS } from '../../domain/connection/batch.ts';
import { ERROR_CODES, STATES } from '../../domain/connection/connection.ts';
import {
  ApplicationId,
  ExternalId,
  GivenApplicationId,
  GivenHostname,
  Hostname,
  Label,
  ListOf,
  ListQuery,
  pageOf,
  Timestamp,
} from './common.ts';
import { Challenge } from './connections.ts';

const BatchEntry = z.union([
  GivenHostname,
  z.strictObject({ hostname: GivenHostname, external_id: Label(255).nullable().exactOptional() }),
]);

export const CreateBatch = z.strictObject({
  application_id: GivenApplicationId,
  hostnames: ListOf(BatchEntry, { min: 1, max: BATCH_LIMIT }).meta({
    description: `Up to ${BATCH_LIMIT} hostnames, or objects with a hostname and your id for the customer.`,
  }),
});

const RowProblem = z.object({
  code: z.string(),
  message: z.string(),
  suggestion: z.string().optional().meta({ description: 'Hostname that you probably meant.' }),
});

const row = {
  row: z.int().meta({ description: 'Position in the list that you sent, starting at 1.' }),
  hostname: Hostname,
  external_id: ExternalId,
  result: z.enum(BATCH_RESULTS),
  connection_id: z.uuid().nullable().meta({
    description: 'Connection of this row. For a conflict, your connection that already holds the hostname.',
  }),
  problem: RowProblem.nullable().meta({ description: 'Reason why the row was refused.', example: null }),
};

const batch = {
  batch_id: z.uuid().meta({ example: '0192f0c3-3333-7abc-8def-0123456789ab' }),
  application_id: ApplicationId,
  created_at: Timestamp,
  completed_at: Timestamp.nullable().meta({
    description: 'Time when every connection of the batch had become live, failed or archived.',
  }),
  total: z.int().meta({ example: 1_000 }),
  results: z
    .object({ created: z.int(), existing: z.int(), conflict: z.int(), invalid: z.int(), quota_exceeded: z.int() })
    .meta({ example: { created: 1_000, existing: 0, conflict: 0, invalid: 0, quota_exceeded: 0 } }),
  states: z.record(z.string(), z.int()).meta({
    description: 'Number of connections in each state.',
    example: { propagating: 10, live: 988, failed: 2 },
  }),
};

export const BatchCreated = z
  .object({ ...batch, rows: z.array(z.object({ ...row, ownership_challenge: Challenge.nullable() })) })
  .meta({ id: 'BatchCreated' });

export const BatchQuery = ListQuery;

export const Batch = z
  .object({
    ...batch,
    failures: pageOf(
      z.object({
        ...row,
        state: z.enum(STATES).nullable().meta({ example: 'failed' }),
        error_code: z.enum(ERROR_CODES).nullable(),
      }),
    ).meta({ description: 'Rows that were refused or whose connection has failed, in the order of the request.' }),
  })
  .meta({ id: 'Batch' });
