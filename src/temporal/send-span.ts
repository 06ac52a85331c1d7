import { inSpan, type Place } from '../telemetry/tracing.ts';
import type { TemporalClient } from './client.ts';
import type { TemporalCall } from './workflow-kind.ts';

/** Sends messages of the outbox in a span that continues the trace of the transaction that wrote them. */
export function sendInSpan(call: TemporalCall, temporal: TemporalClient): Promise<void> {
  const [message] = call.messages;
  const attributes = {
    'svc.workflow': message?.workflow,
    'svc.message': message?.kind,
    'svc.messages': call.messages.length,
    'svc.object_id': call.messages.length === 1 ? message?.aggregate_id : undefined,
  };
  return inSpan('send', attributes, () => call.send(temporal), placeOf(call));
}

/** Messages of one trace continue it. Messages of several traces begin one, which has a link to each of them. */
function placeOf({ messages, first }: TemporalCall): Place {
  const causes = [...new Set(messages.flatMap(({ trace_context }) => trace_context ?? []))];
  const each = Object.fromEntries(
    messages.flatMap((message) =>
      message.trace_context === null ? [] : [[message.aggregate_id, message.trace_context]],
    ),
  );
  return {
    parent: causes.length === 1 ? causes[0] : null,
    links: [...(causes.length === 1 ? [] : causes.slice(0, MAX_LINKS)), first],
    carrier: { ...(first ? { first } : {}), ...(causes.length > 1 ? { each } : {}) },
  };
}

const MAX_LINKS = 32;
