import { z } from 'zod';
import { DELIVERY_STATUS, FAILURE_REASONS } from '../../db/webhook/deliveries.ts';
import { DEFAULT_EVENTS, EVENT_TYPES, EVERY_EVENT, TEST_EVENT } from '../../domain/webhook/events.ts';
import { ATTEMPT_OUTCOMES } from '../../domain/webhook/attempt.ts';
import {
  ApplicationId,
  CreatedAt,
  Environment,
  GivenApplicationId,
  GivenId,
  GivenTime,
  ListOf,
  ListQuery,
  ObjectId,
  pageOf,
  Timestamp,
} from './common.ts';

const EXAMPLE_URL = 'https://example.com/webhooks';
const EXAMPLE_TYPES = ['domain.verified', 'domain.drift'];
const Url = z.string().min(1).max(2_000).meta({ example: EXAMPLE_URL });
const Subscribed = z.enum([...EVENT_TYPES, EVERY_EVENT]);
const EventTypes = ListOf(Subscribed, { min: 1, max: EVENT_TYPES.length + 1 }).meta({ example: EXAMPLE_TYPES });

export const CreateEndpoint = z.strictObject({
  application_id: GivenApplicationId,
  url: Url.meta({ description: 'An https URL. The test environment accepts http too.' }),
  events: EventTypes.exactOptional().meta({
    description: `Event types to send; \`${EVERY_EVENT}\` means every type, also of later releases. Defaults to ${DEFAULT_EVENTS.join(', ')}.`,
  }),
});

export const UpdateEndpoint = z.strictObject({
  url: Url.exactOptional().meta({ description: 'An https URL. The test environment accepts http too.' }),
  events: EventTypes.exactOptional().meta({ description: 'Event types to send.' }),
  active: z
    .boolean()
    .exactOptional()
    .meta({ description: 'Whether to send events. Set it to resume a disabled endpoint.' }),
});

export const RotateSecret = z
  .strictObject({
    activates_at: GivenTime.exactOptional().meta({
      description: 'Time from which the new secret signs, within the next 30 days. Defaults to 24 hours from now.',
    }),
    now: z.boolean().exactOptional().meta({ description: 'Replaces the old secret immediately, after a leak.' }),
  })
  .meta({ example: { now: true } })
  .optional();

export const TestEndpoint = z
  .strictObject({
    type: z
      .enum([TEST_EVENT, ...EVENT_TYPES])
      .exactOptional()
      .meta({
        description: `Event type. Defaults to ${TEST_EVENT}. Only endpoints in the test environment accept other types.`,
        example: 'domain.verified',
      }),
  })
  .optional();

export const RecoverEndpoint = z.strictObject({
  since: GivenTime.meta({ description: 'Time of the earliest event to resend. Events are kept for 30 days.' }),
});

export const EndpointQuery = ListQuery.extend({
  application_id: GivenId.optional().meta({ description: 'Only endpoints of this application.' }),
});

const NoTime = Timestamp.nullable().meta({ example: null });

export const WebhookEndpoint = z
  .object({
    id: ObjectId,
    application_id: ApplicationId,
    environment: Environment,
    url: z.string().meta({ description: 'URL of your receiver.', example: EXAMPLE_URL }),
    events: z.array(Subscribed).meta({ description: 'Event types that we send.', example: EXAMPLE_TYPES }),
    active: z.boolean().meta({ description: 'Whether we send events.' }),
    disabled_reason: z.enum(['gone', 'failing']).nullable().meta({
      description:
        'Why the service disabled the endpoint: it answered 410 (`gone`), or failed for five days (`failing`). PATCH active: true to resume.',
      example: null,
    }),
    disabled_at: NoTime.meta({ description: 'Time at which the service disabled the endpoint, or null.' }),
    failing_since: NoTime.meta({ description: 'Time since which every attempt has failed.' }),
    paused_until: NoTime.meta({ description: 'Time until which attempts are paused after repeated failures.' }),
    next_secret_activates_at: NoTime.meta({ description: 'During a rotation, time from which the new secret signs.' }),
    created_at: CreatedAt,
  })
  .meta({ id: 'WebhookEndpoint' });

const SigningSecret = z.string().meta({ example: 'whsec_MfKQ…' });

export const WebhookEndpointWithSecret = WebhookEndpoint.extend({
  signing_secret: SigningSecret.exactOptional().meta({ description: 'Returned only once, not in a replay.' }),
}).meta({ id: 'WebhookEndpointWithSecret' });

export const SecretRotated = WebhookEndpoint.extend({
  signing_secret: SigningSecret.meta({ description: 'The new secret. Returned only once.' }),
  activates_at: Timestamp.meta({ description: 'Time from which it signs. Accept both secrets until then.' }),
}).meta({ id: 'SecretRotated' });

export const WebhookEndpointList = pageOf(WebhookEndpoint);

export const Recovered = z.object({
  recovered: z.int().meta({ description: 'Number of events that are being sent again.' }),
  more: z.boolean().meta({ description: 'Whether more events are left. If so, repeat the call.', example: false }),
});

const EventType = z.string().meta({ description: 'Event type. New types may be added.', example: 'domain.verified' });

export const Delivery = z
  .object({
    id: ObjectId,
    endpoint_id: z
      .uuid()
      .meta({ description: 'Id of the webhook endpoint.', example: '0192f0c4-4444-7abc-8def-0123456789ab' }),
    event_id: z.uuid().meta({ description: 'Id of the event.', example: '0192f0c5-5555-7abc-8def-0123456789ab' }),
    event_type: EventType,
    status: z.enum(DELIVERY_STATUS).meta({ description: 'Status of the delivery.' }),
    reason: z.enum(FAILURE_REASONS).nullable().meta({ description: 'Set if it failed permanently.', example: null }),
    attempt_count: z.int().meta({ description: 'Number of attempts so far.' }),
    next_attempt_at: Timestamp.nullable().meta({ description: 'Time of the next attempt, or null.' }),
    last_attempt_at: Timestamp.nullable().meta({ description: 'Time of the last attempt, or null.' }),
    delivered_at: NoTime.meta({ description: 'Time at which your receiver accepted it, or null.' }),
    created_at: CreatedAt,
  })
  .meta({ id: 'Delivery' });

const Attempt = z
  .object({
    number: z.int().meta({ description: 'Number of the attempt, starting at 1.' }),
    at: Timestamp.meta({ description: 'Time of the attempt.' }),
    url: z.string().meta({ description: 'URL that we called.', example: EXAMPLE_URL }),
    outcome: z.enum(ATTEMPT_OUTCOMES).meta({ description: 'Result of the attempt.' }),
    status_code: z
      .int()
      .nullable()
      .meta({ description: 'HTTP status of the answer. Null without an answer.', example: 200 }),
    error: z.string().nullable().meta({ description: 'Why there was no answer, or null.', example: null }),
    response: z.string().nullable().meta({ description: 'First 8 kB of the response body.', example: 'ok' }),
    duration_ms: z.int().meta({ description: 'Duration in milliseconds.', example: 48 }),
  })
  .meta({ id: 'DeliveryAttempt' });

export const DeliveryDetail = Delivery.extend({
  attempts: z.array(Attempt).meta({ description: 'The last hundred attempts, newest first.' }),
}).meta({ id: 'DeliveryDetail' });

export const DeliveryList = pageOf(Delivery);

export const DeliveryQuery = ListQuery.extend({
  status: z.enum(DELIVERY_STATUS).optional().meta({ description: 'Only deliveries with this status.' }),
  event: z
    .enum([TEST_EVENT, ...EVENT_TYPES])
    .optional()
    .meta({ description: 'Event type.' }),
  since: GivenTime.optional().meta({ description: 'Only deliveries that were created at this time or later.' }),
  until: GivenTime.optional().meta({ description: 'Only deliveries that were created before this time.' }),
});

export const ConnectionDeliveryQuery = DeliveryQuery.extend({
  connection_id: GivenId.meta({ description: 'Connection whose events were delivered.' }),
});

export const Event = z
  .object({
    id: z.uuid().meta({ description: 'Id of the event, the same on every attempt and replay.' }),
    type: EventType,
    timestamp: Timestamp.meta({ description: 'Time when the event happened.' }),
    api_version: z.literal('v1').meta({ description: 'Version of the API that shaped the event.' }),
    environment: Environment,
    application_id: ApplicationId,
    sequence: z.int().nullable().meta({
      description: 'Increases by one with each event of a connection. Null if the event concerns no connection.',
    }),
    data: z.record(z.string(), z.unknown()).meta({ description: 'Data that depends on the type.', example: {} }),
  })
  .meta({ id: 'Event' });

export const EventDetail = Event.extend({
  deliveries: z.array(Delivery).meta({ description: 'Deliveries of the event.' }),
}).meta({ id: 'EventDetail' });

export const EventList = pageOf(Event);

export const EventQuery = ListQuery.extend({
  type: z
    .enum([TEST_EVENT, ...EVENT_TYPES])
    .optional()
    .meta({ description: 'Only events of this type.' }),
  application_id: GivenId.optional().meta({ description: 'Only events of this application.' }),
  connection_id: GivenId.optional().meta({ description: 'Only events of this connection.' }),
});
