import type { Trigger } from '../connection/connection.ts';
import type { CheckedRecord } from '../observation/check.ts';

/** The contract's kinds of event: what an endpoint gets unless it names others. */
export const CONTRACT_EVENTS = [
  'domain.added',
  'domain.verified',
  'ssl.issued',
  'domain.flow.completed',
  'domain.drift',
] as const;

/** Every kind that an endpoint can subscribe to; those beyond the contract's it gets only by naming them. */
export const EVENT_TYPES = [
  ...CONTRACT_EVENTS,
  'domain.restored',
  'domain.stalled',
  'domain.failed',
  'domain.claim_lost',
  'ssl.failing',
  'batch.completed',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Sent to one endpoint, whatever it subscribes to, because its tenant asked for it. */
export const TEST_EVENT = 'webhook.test';

/** What a move tells the outside, in order. A flow completes once in the life of a connection. */
export function eventsOf(trigger: Trigger, flowCompletedBefore: boolean): EventType[] {
  switch (trigger) {
    case 'accepted':
      return ['domain.added'];
    case 'challengeSeen':
      return ['domain.verified'];
    case 'certificateSeen':
      return flowCompletedBefore ? ['ssl.issued'] : ['ssl.issued', 'domain.flow.completed'];
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

/** What `domain.drift` carries beside the connection: each record that should stand and does not, and what stands instead. */
export const driftData = (records: readonly CheckedRecord[]) => ({
  records: records
    .filter(({ propagated }) => !propagated)
    .map(({ propagated: _propagated, observed: _observed, observed_value, ...record }) => ({ record, observed_value })),
});

/** An event as the system of record has it. */
export interface EventFacts {
  id: string;
  type: string;
  at: Date;
  environment: 'test' | 'live';
  application_id: string;
  sequence: number | null;
  data: Record<string, unknown>;
}

/** An event as it is sent and answered. The same bytes on every attempt: nothing in it depends on when it is sent. */
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
