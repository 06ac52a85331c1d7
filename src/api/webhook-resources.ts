import type { z } from 'zod';
import type { AttemptRow, DeliveryFilter, DeliveryRow } from '../db/webhook/deliveries.ts';
import type { EndpointRow } from '../db/webhook/endpoints.ts';
import type { DeliveryQuery } from './schemas/webhooks.ts';

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

export const presentEndpoint = (row: EndpointRow, now: Date) => ({
  id: row.id,
  application_id: row.application_id,
  environment: row.environment,
  url: row.url,
  events: row.events,
  active: row.active,
  disabled_reason: row.disabled_reason,
  disabled_at: iso(row.disabled_at),
  failing_since: iso(row.failing_since),
  paused_until: row.paused_until !== null && row.paused_until > now ? iso(row.paused_until) : null,
  next_secret_activates_at: row.next_secret_at !== null && row.next_secret_at > now ? iso(row.next_secret_at) : null,
  created_at: row.created_at.toISOString(),
});

export const presentDelivery = (row: DeliveryRow) => ({
  id: row.id,
  endpoint_id: row.endpoint_id,
  event_id: row.event_id,
  event_type: row.event_type,
  status: row.status,
  reason: row.reason,
  attempt_count: row.attempts,
  next_attempt_at: iso(row.next_attempt_at),
  last_attempt_at: iso(row.last_attempt_at),
  delivered_at: iso(row.delivered_at),
  created_at: row.created_at.toISOString(),
});

export const presentAttempt = ({ created_at, ...row }: AttemptRow) => ({
  number: row.number,
  at: created_at.toISOString(),
  url: row.url,
  outcome: row.outcome,
  status_code: row.status_code,
  error: row.error,
  response: row.response,
  duration_ms: row.duration_ms,
});

export const deliveryFilter = ({ status, event, since, until }: z.infer<typeof DeliveryQuery>): DeliveryFilter => ({
  status,
  event,
  since: since === undefined ? undefined : new Date(since),
  until: until === undefined ? undefined : new Date(until),
});
