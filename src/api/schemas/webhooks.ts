import { z } from 'zod';
import { DELIVERY_STATUS, FAILURE_REASONS } from '../../db/webhook/deliveries.ts';
import { EVENT_TYPES, TEST_EVENT } from '../../domain/webhook/events.ts';
import { ATTEMPT_OUTCOMES } from '../../domain/webhook/attempt.ts';
import { Environment, GivenId, ListOf, ListQuery, pageOf, Timestamp } from './common.ts';

const Url = z.string().min(1).max(2_000);
const Kinds = ListOf(z.enum(EVENT_TYPES), { min: 1, max: EVENT_TYPES.length });
const GivenTime = z.iso.datetime({ offset: true });

export const CreateEndpoint = z.strictObject({
  application_id: GivenId,
  url: Url.meta({ description: 'https; in the test environment http too.' }),
  events: Kinds.exactOptional().meta({
    description:
      'domain.added, domain.verified, ssl.issued, domain.flow.completed and domain.drift unless given; the others only by name.',
  }),
});

export const UpdateEndpoint = z.strictObject({
  url: Url.exactOptional(),
  events: Kinds.exactOptional(),
  active: z.boolean().exactOptional(),
});

export const RotateSecret = z
  .strictObject({
    activates_at: GivenTime.exactOptional().meta({
      description: 'When the new secret begins to sign; 24 hours from now unless given, 30 days at most.',
    }),
    now: z.boolean().exactOptional().meta({ description: 'After a leak: the old secret ends at once.' }),
  })
  .optional();

export const TestEndpoint = z
  .strictObject({
    type: z
      .enum([TEST_EVENT, ...EVENT_TYPES])
      .exactOptional()
      .meta({ description: `${TEST_EVENT} unless given. Examples of other kinds go to endpoints in test only.` }),
  })
  .optional();

export const RecoverEndpoint = z.strictObject({
  since: GivenTime.meta({ description: 'Events from then on are sent that were not delivered; 30 days are kept.' }),
});

export const EndpointQuery = ListQuery.extend({ application_id: GivenId.optional() });

export const WebhookEndpoint = z
  .object({
    id: z.uuid(),
    application_id: z.uuid(),
    environment: Environment,
    url: z.string(),
    events: z.array(z.enum(EVENT_TYPES)),
    active: z.boolean(),
    disabled_reason: z.enum(['gone', 'failing']).nullable().meta({
      description: 'Why the service made it inactive: it answered 410, or failed for five days. PATCH active to go on.',
    }),
    disabled_at: Timestamp.nullable(),
    failing_since: Timestamp.nullable().meta({ description: 'Since when every attempt has failed.' }),
    paused_until: Timestamp.nullable().meta({ description: 'After failures in a row attempts wait until then.' }),
    next_secret_activates_at: Timestamp.nullable().meta({
      description: 'While a secret is rotated: from when on the new one signs.',
    }),
    created_at: Timestamp,
  })
  .meta({ id: 'WebhookEndpoint' });

export const WebhookEndpointWithSecret = WebhookEndpoint.extend({
  signing_secret: z.string().exactOptional().meta({ description: 'Told once; absent when the answer is repeated.' }),
}).meta({ id: 'WebhookEndpointWithSecret' });

export const SecretRotated = WebhookEndpoint.extend({
  signing_secret: z.string().meta({ description: 'The new secret, told once.' }),
  activates_at: Timestamp.meta({ description: 'From when on it signs. Accept both until then.' }),
}).meta({ id: 'SecretRotated' });

export const WebhookEndpointList = pageOf(WebhookEndpoint);

export const Recovered = z.object({
  recovered: z.int().meta({ description: 'How many events are being sent now.' }),
  more: z.boolean().meta({ description: 'Whether there are others: ask again.' }),
});

export const Delivery = z
  .object({
    id: z.uuid(),
    endpoint_id: z.uuid(),
    event_id: z.uuid(),
    event_type: z.string(),
    status: z.enum(DELIVERY_STATUS),
    reason: z.enum(FAILURE_REASONS).nullable().meta({ description: 'Why it failed for good.' }),
    attempt_count: z.int(),
    next_attempt_at: Timestamp.nullable(),
    last_attempt_at: Timestamp.nullable(),
    delivered_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Delivery' });

const Attempt = z
  .object({
    number: z.int(),
    at: Timestamp,
    url: z.string(),
    outcome: z.enum(ATTEMPT_OUTCOMES),
    status_code: z.int().nullable(),
    error: z.string().nullable(),
    response: z.string().nullable().meta({ description: 'The first 8 kB of the answer.' }),
    duration_ms: z.int(),
  })
  .meta({ id: 'DeliveryAttempt' });

export const DeliveryDetail = Delivery.extend({
  attempts: z.array(Attempt).meta({ description: 'Newest first, the last hundred.' }),
}).meta({ id: 'DeliveryDetail' });

export const DeliveryList = pageOf(Delivery);

export const DeliveryQuery = ListQuery.extend({
  status: z.enum(DELIVERY_STATUS).optional(),
  event: z
    .enum([TEST_EVENT, ...EVENT_TYPES])
    .optional()
    .meta({ description: 'A kind of event.' }),
  since: GivenTime.optional(),
  until: GivenTime.optional(),
});

export const Event = z
  .object({
    id: z.uuid(),
    type: z.string(),
    timestamp: Timestamp,
    api_version: z.literal('v1'),
    environment: Environment,
    application_id: z.uuid(),
    sequence: z
      .int()
      .nullable()
      .meta({ description: 'Grows by one with each event of a connection; null without one.' }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });

export const EventDetail = Event.extend({ deliveries: z.array(Delivery) }).meta({ id: 'EventDetail' });

export const EventList = pageOf(Event);

export const EventQuery = ListQuery.extend({
  type: z.enum([TEST_EVENT, ...EVENT_TYPES]).optional(),
  application_id: GivenId.optional(),
  connection_id: GivenId.optional(),
});
