import type { Trigger } from '../connection/connection.ts';
import type { CheckedRecord } from '../observation/check.ts';

/** Event types that an endpoint receives unless it names others: those of the contract, and the end of a drift. */
export const DEFAULT_EVENTS = [
  'domain.added',
  'domain.verified',
  'ssl.issued',
  'domain.flow.completed',
  'domain.drift',
  'domain.restored',
] as const;

/** Subscribes an endpoint to every event type, including those of later releases. */
export const EVERY_EVENT = '*';

/** Every event type. An endpoint receives the types beyond the default only by naming them, or all with `*`. */
export const EVENT_TYPES = [
  ...DEFAULT_EVENTS,
  'domain.stalled',
  'domain.failed',
  'domain.claim_lost',
  'domain.cutover_reverted',
  'domain.dangling',
  'domain.expiring',
  'ssl.failing',
  'ssl.expiring',
  'batch.completed',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Sent on the tenant's request to one endpoint, regardless of its subscriptions. */
export const TEST_EVENT = 'webhook.test';

/** Returns the events of a transition, in order. A flow completes once in the life of a connection. */
export function eventsOf(trigger: Trigger, flowCompletedBefore: boolean): EventType[] {
  switch (trigger) {
    case 'accepted':
      return ['domain.added'];
    case 'challengeSeen':
      return ['domain.verified'];
    case 'certificateSeen':
      return flowCompletedBefore ? ['ssl.issued'] : ['ssl.issued', 'domain.flow.completed'];
    case 'recordsInPlace':
      return flowCompletedBefore ? [] : ['domain.flow.completed'];
    case 'recordsDrifted':
      return ['domain.drift'];
    case 'recordsRestored':
      return ['domain.restored'];
    case 'propagationSlow':
      return ['domain.stalled'];
    case 'ownershipTimedOut':
    case 'propagationTimedOut':
    case 'certificateTimedOut':
      return ['domain.failed'];
    case 'claimLost':
      return ['domain.claim_lost'];
    default:
      return [];
  }
}

/** Returns the additional data of `domain.drift`: each missing record, and the values found instead. */
export const driftData = (records: readonly CheckedRecord[]) => ({
  records: records
    .filter(({ propagated }) => !propagated)
    .map(({ propagated: _propagated, observed: _observed, observed_value, ...record }) => ({ record, observed_value })),
});

export interface EventFacts {
  id: string;
  type: string;
  at: Date;
  environment: 'test' | 'live';
  application_id: string;
  sequence: number | null;
  data: Record<string, unknown>;
}

/** Returns the body of an event, without the time of sending, so every attempt sends the same bytes. */
export const envelopeOf = ({ id, type, at, environment, application_id, sequence, data }: EventFacts) => ({
  id,
  type,
  timestamp: at.toISOString(),
  api_version: 'v1' as const,
  environment,
  application_id,
  sequence,
  data,
});
