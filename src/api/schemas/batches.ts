import { z } from 'zod';
import { BATCH_LIMIT, BATCH_RESULTS } from '../../domain/connection/batch.ts';
import { ERROR_CODES, STATES } from '../../domain/connection/connection.ts';
import {
  ApplicationId,
  CreatedAt,
  Environment,
  ExternalId,
  GivenApplicationId,
  GivenEnvironment,
  GivenHostname,
  GivenId,
  Hostname,
  Label,
  ListOf,
  ListQuery,
  pageOf,
  Timestamp,
} from './common.ts';
import { Challenge, GivenVariables, Serve } from './connections.ts';
import { givenRoute } from './own-routes.ts';

const BatchEntry = z.union([
  GivenHostname,
  z.strictObject({
    hostname: GivenHostname,
    external_id: Label(255).nullable().exactOptional().meta({ description: 'Your id for the customer.' }),
    serve: Serve.exactOptional(),
    variables: GivenVariables.exactOptional(),
    ...givenRoute,
  }),
]);

export const CreateBatch = z.strictObject({
  application_id: GivenApplicationId,
  hostnames: ListOf(BatchEntry, { min: 1, max: BATCH_LIMIT }).meta({
    description: `Up to ${BATCH_LIMIT} hostnames, or objects with a hostname, your id for the customer and the fields of a route as in POST /connections.`,
  }),
});

const RowProblem = z.object({
  code: z.string().meta({ description: 'Stable code for programs. New codes may be added.' }),
  message: z.string().meta({ description: 'What is wrong with the row, in English.' }),
  suggestion: z.string().optional().meta({ description: 'Hostname that you probably meant.' }),
});

const row = {
  row: z.int().meta({ description: 'Position in the list that you sent, starting at 1.' }),
  hostname: Hostname,
  external_id: ExternalId,
  result: z.enum(BATCH_RESULTS).meta({ description: 'What became of the row.' }),
  connection_id: z.uuid().nullable().meta({
    description: 'Connection of this row. For a conflict, your connection that already holds the hostname.',
  }),
  problem: RowProblem.nullable().meta({ description: 'Reason why the row was refused.', example: null }),
};

const summary = {
  batch_id: z.uuid().meta({ description: 'Unique id.', example: '0192f0c3-3333-7abc-8def-0123456789ab' }),
  application_id: ApplicationId,
  created_at: CreatedAt,
  completed_at: Timestamp.nullable().meta({
    description: 'Time when every connection of the batch had become live, failed or archived.',
  }),
  total: z.int().meta({ description: 'Number of rows.', example: 1_000 }),
};

const batch = {
  ...summary,
  results: z
    .object({
      created: z.int().meta({ description: 'Rows that created a connection.' }),
      existing: z.int().meta({ description: 'Rows whose connection existed already.' }),
      conflict: z.int().meta({ description: 'Rows whose hostname another connection holds.' }),
      invalid: z.int().meta({ description: 'Rows that cannot be connected.' }),
      quota_exceeded: z.int().meta({ description: "Rows beyond the plan's limit." }),
    })
    .meta({
      description: 'Number of rows with each result.',
      example: { created: 1_000, existing: 0, conflict: 0, invalid: 0, quota_exceeded: 0 },
    }),
  states: z.record(z.string(), z.int()).meta({
    description: 'Number of connections in each state.',
    example: { propagating: 10, live: 988, failed: 2 },
  }),
};

export const BatchCreated = z
  .object({
    ...batch,
    rows: z
      .array(
        z.object({
          ...row,
          ownership_challenge: Challenge.nullable().meta({
            description: 'TXT record that proves ownership. Null if the row was refused.',
          }),
        }),
      )
      .meta({ description: 'Every row, in the order of the request.' }),
  })
  .meta({ id: 'BatchCreated' });

export const BatchQuery = ListQuery;

export const BatchListQuery = ListQuery.extend({
  application_id: GivenId.optional().meta({ description: 'Only batches of this application.' }),
  environment: GivenEnvironment.optional(),
});

export const BatchList = pageOf(
  z
    .object({
      ...summary,
      environment: Environment,
      unsettled: z.int().meta({ description: 'Rows whose connection is still on its way.', example: 12 }),
    })
    .meta({ id: 'ListedBatch' }),
);

export const Batch = z
  .object({
    ...batch,
    failures: pageOf(
      z.object({
        ...row,
        state: z
          .enum(STATES)
          .nullable()
          .meta({ description: 'State of the connection. Null if there is none.', example: 'failed' }),
        error_code: z.enum(ERROR_CODES).nullable().meta({ description: 'Why the connection failed, or null.' }),
      }),
    ).meta({ description: 'Rows that were refused or whose connection has failed, in the order of the request.' }),
  })
  .meta({ id: 'Batch' });
