import type { Trigger } from './connection.ts';
import type { CheckedRecord } from './check.ts';

/** Kinds of event. The first five are the contract's and the default subscription; an endpoint gets the others by naming them. */
export const EVENT_TYPES = [
  'domain.added',
  'domain.verified',
  'ssl.issued',
  'domain.flow.completed',
  'domain.drift',
  'domain.restored',
  'domain.claim_lost',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Kinds of event about a batch, which an endpoint gets by naming them. */
export type BatchEventType = 'batch.completed';

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
