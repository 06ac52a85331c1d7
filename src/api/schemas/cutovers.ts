import { z } from 'zod';
import { CUTOVER_STATES } from '../../domain/connection/cutover.ts';
import { TTL_MAX, TTL_MIN } from '../../domain/record.ts';
import { CreatedAt, ObjectId, ProviderSlug, Record, Timestamp } from './common.ts';
import { PublishedRecord } from './connections.ts';

const OBSERVE_FOR = { min: 30, max: 86_400, usual: 600 };

const GivenProbe = z.strictObject({
  path: z
    .string()
    .max(2_000)
    .regex(/^\/[!-~]*$/)
    .default('/')
    .meta({ description: 'Path and query to request, printable ASCII.', example: '/health' }),
  expect_status: z.int().min(100).max(599).nullable().default(null).meta({
    description: 'Status that the site must answer with. Null: any from 200 to 399.',
    example: 200,
  }),
  expect_text: z.string().min(1).max(1_000).nullable().default(null).meta({
    description: 'Text that the response must contain, within its first megabyte. Null: any response.',
    example: 'Welcome',
  }),
});

export const StartCutover = z
  .strictObject({
    probe: GivenProbe.exactOptional().meta({ description: 'Request that shows whether the site works.' }),
    observe_for: z
      .int()
      .min(OBSERVE_FOR.min)
      .max(OBSERVE_FOR.max)
      .default(OBSERVE_FOR.usual)
      .meta({ description: 'Seconds for which the site is probed after the move.', example: 600 }),
    lower_ttl: z.int().min(TTL_MIN).max(TTL_MAX).nullable().default(null).meta({
      description:
        'Before the move, give the records that will be replaced this TTL in seconds, and wait until resolvers know it.',
      example: 60,
    }),
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: 'Only show the plan. Nothing is changed.', example: false }),
  })
  .optional();

const Probe = z.object({
  at: Timestamp.meta({ description: 'Time of the probe.' }),
  via: z.enum(['edge', 'dns']).meta({
    description: 'Who was asked: the edge itself before the move, or the address that resolvers return after it.',
    example: 'dns',
  }),
  address: z.string().nullable().meta({ description: 'Address that was dialled, if one was.', example: '203.0.113.7' }),
  status: z.int().nullable().meta({ description: 'HTTP status of the response, if there was one.', example: 200 }),
  verdict: z.enum(['ok', 'failed', 'unknown']).meta({
    description: '`unknown` is no verdict about the site, for example while resolvers still have the old record.',
    example: 'ok',
  }),
  message: z.string().nullable().meta({ description: 'Reason for a verdict other than `ok`.', example: null }),
});

export const Cutover = z
  .object({
    id: ObjectId,
    connection_id: z.uuid().meta({ description: 'Id of the connection.' }),
    state: z
      .enum(CUTOVER_STATES)
      .meta({ description: 'State of the cutover. `planned` is a dry run.', example: 'observing' }),
    plan: z
      .object({
        provider: ProviderSlug,
        zone: z.string().meta({ description: 'Zone in which the records are replaced.', example: 'brand.test' }),
        removes: z.array(PublishedRecord).meta({ description: 'Records that are replaced, with their TTL.' }),
        adds: z.array(Record).meta({ description: 'Records that are added.' }),
      })
      .meta({ description: 'The change of the zone. Nothing else is changed.' }),
    probe: GivenProbe.meta({ description: 'Request that shows whether the site works.' }),
    observe_for: z.int().meta({ description: 'Seconds for which the site is probed after the move.', example: 600 }),
    lower_ttl: z
      .int()
      .nullable()
      .meta({ description: 'TTL of the old records before the move, if it is lowered.', example: null }),
    probes: z.array(Probe).meta({ description: 'The newest probes, oldest first, at most 20.' }),
    reason: z.string().nullable().meta({ description: 'Reason for an end other than `done`.', example: null }),
    created_at: CreatedAt,
    moved_at: Timestamp.nullable().meta({ description: 'Time at which the records were replaced.', example: null }),
    ended_at: Timestamp.nullable().meta({ description: 'Time at which the cutover ended.', example: null }),
  })
  .meta({ id: 'Cutover' });
