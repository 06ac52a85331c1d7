import { z } from 'zod';
import { STATES } from '../../domain/connection/connection.ts';
import { ATTENTION, type Attention } from '../../domain/connection/counts.ts';
import { GivenEnvironment, GivenId } from './common.ts';

export const CountsQuery = z.strictObject({
  application_id: GivenId.optional().meta({ description: 'Only connections of this application.' }),
  environment: GivenEnvironment.optional(),
});

const Count = z.int().meta({ example: 3 });

const DESCRIBED: Record<Attention, string> = {
  stalled: 'Connections whose records are missing for longer than usual.',
  drifted: 'Connections that were live and whose records have changed.',
  failing_certificates: 'Connections whose certificate has expired, or could not be obtained or renewed.',
  dangling: 'Archived connections whose hostname still pointed here at the last check.',
  refused_credentials: 'Credentials that their DNS provider refuses.',
  disabled_endpoints: 'Webhook endpoints that the service has disabled.',
};

export const ConnectionCounts = z
  .object({
    total: z
      .int()
      .meta({ description: 'Number of connections in all states, archived ones included.', example: 1_200 }),
    by_state: z
      .object(
        Object.fromEntries(
          STATES.map((state) => [state, Count.meta({ description: `Connections in the state \`${state}\`.` })]),
        ),
      )
      .meta({ description: 'Number of connections in each state.' }),
    attention: z
      .object(Object.fromEntries(ATTENTION.map((key) => [key, Count.meta({ description: DESCRIBED[key] })])))
      .meta({ description: 'Number of objects that need attention, by reason.' }),
  })
  .meta({ id: 'ConnectionCounts' });

const DAYS_MAX = 90;
const DAYS_DEFAULT = 30;

export const SeriesQuery = CountsQuery.extend({
  days: z
    .string()
    .regex(/^\d{1,2}$/, `must be a whole number from 1 to ${DAYS_MAX}`)
    .transform(Number)
    .pipe(z.int().min(1).max(DAYS_MAX))
    .prefault(String(DAYS_DEFAULT))
    .meta({
      override: { type: 'integer', minimum: 1, maximum: DAYS_MAX, default: DAYS_DEFAULT },
      description: `Number of days, from 1 to ${DAYS_MAX}. The last one is today.`,
    }),
});

export const ConnectionSeries = z
  .object({
    days: z
      .array(
        z.object({
          day: z.iso.date().meta({ description: 'Day by UTC.', example: '2026-01-31' }),
          created: Count.meta({ description: 'Connections that were created on this day.' }),
          live: Count.meta({ description: 'Connections that became live for the first time on this day.' }),
          archived: Count.meta({ description: 'Connections that were archived on this day.' }),
        }),
      )
      .meta({ description: 'Every day, oldest first.' }),
    seconds_to_live: z
      .array(
        z.object({
          up_to: z.int().nullable().meta({
            description: 'Upper bound of this step in seconds, included. Null: longer than all others.',
            example: 60,
          }),
          count: Count.meta({ description: 'Connections that took this long, and longer than the step before.' }),
        }),
      )
      .meta({
        description:
          'Time from create to first live, as a histogram of the connections that became live on these days.',
      }),
  })
  .meta({ id: 'ConnectionSeries' });
