import { z } from 'zod';
import { EVENT_TYPES, TEST_EVENT } from '../../domain/webhook/events.ts';
import { API_OPTIONS } from '../api-access.ts';
import { required, type ApiCommand, type Values } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';
import { listenForEvents } from '../listen.ts';

const listen: ApiCommand = {
  name: 'listen',
  summary: 'Forwards events to a receiver on this machine as they happen',
  details: 'Each event is signed. The answer of your receiver is printed.',
  options: {
    'forward-to': { type: 'string', value: 'URL', help: 'Your receiver, such as http://localhost:3000/hooks' },
    events: { type: 'string', value: 'TYPES', help: 'Comma-separated event types, such as domain.*. Defaults to all' },
    ...API_OPTIONS,
  },
  examples: [
    'listen --forward-to http://localhost:3000/hooks',
    "listen --forward-to http://localhost:3000/hooks --events 'domain.*'",
  ],
  requires: ['forward-to'],
  runByApi: (values, api) => listenForEvents(api, urlIn(values), eventTypesIn(values)),
};

const Endpoints = z.object({ data: z.array(z.object({ id: z.uuid(), active: z.boolean(), environment: z.string() })) });
const Delivery = z.object({ id: z.uuid(), endpoint_id: z.uuid(), event_id: z.uuid() });

const trigger: ApiCommand = {
  name: 'trigger',
  summary: 'Sends an example event to your endpoints in the test environment',
  details: `EVENT is one of ${[TEST_EVENT, ...EVENT_TYPES].join(', ')}.`,
  examples: [`trigger ${EVENT_TYPES[0]}`],
  options: API_OPTIONS,
  requires: ['EVENT'],
  positional: 'EVENT',
  async runByApi(values, api) {
    const type = eventTypeOf(required(values, 'EVENT'));
    const { data } = Endpoints.parse(await api.call('GET', '/webhook-endpoints?limit=100'));
    const targets = data.filter(({ active, environment }) => active && environment === 'test');
    if (targets.length === 0) throw new CommandError('There is no active webhook endpoint in the test environment.');
    const sent = [];
    for (const { id } of targets)
      sent.push(Delivery.parse(await api.call('POST', `/webhook-endpoints/${id}:test`, { type })));
    return {
      json: sent,
      lines: sent.map(({ id, endpoint_id }) => `Sending ${type} to ${endpoint_id} (delivery ${id}).`),
    };
  },
};

const Deliveries = z.object({ type: z.string(), deliveries: z.array(Delivery) });

const resend: ApiCommand = {
  name: 'events resend',
  examples: ['events resend 01a1e812-8b29-7612-a7a6-0ab24065ea05'],
  summary: 'Sends an event again to every endpoint that was subscribed to it',
  options: API_OPTIONS,
  requires: ['ID'],
  positional: 'ID',
  async runByApi(values, api) {
    const id = z.uuid().safeParse(required(values, 'ID'));
    if (!id.success) throw new UsageError('ID must be the id of an event, as listen prints it.');
    const { type, deliveries } = Deliveries.parse(await api.call('GET', `/events/${id.data}`));
    if (deliveries.length === 0) throw new CommandError('No endpoint was subscribed to this event when it happened.');
    for (const delivery of deliveries) await api.call('POST', `/deliveries/${delivery.id}:replay`);
    return {
      json: { event_id: id.data, deliveries: deliveries.map((delivery) => delivery.id) },
      lines: deliveries.map(({ endpoint_id }) => `Sending ${type} to ${endpoint_id} again.`),
    };
  },
};

export const webhookCommands = [listen, trigger, resend];

function urlIn(values: Values): URL {
  const url = URL.parse(required(values, 'forward-to'));
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError('--forward-to must be a URL such as http://localhost:3000/hooks.');
  return url;
}

const EventType = z.enum([TEST_EVENT, ...EVENT_TYPES]);

function eventTypeOf(text: string): z.infer<typeof EventType> {
  const kind = EventType.safeParse(text);
  if (!kind.success)
    throw new UsageError(`There is no event type ${text}. Types: ${[TEST_EVENT, ...EVENT_TYPES].join(', ')}.`);
  return kind.data;
}

/** Returns the event types of --events. `domain.*` means all types that begin with `domain.`. */
function eventTypesIn(values: Values): ReadonlySet<string> | null {
  if (values['events'] === undefined) return null;
  return new Set(
    required(values, 'events')
      .split(',')
      .flatMap((text) =>
        text.endsWith('.*') ? EVENT_TYPES.filter((kind) => kind.startsWith(text.slice(0, -1))) : [eventTypeOf(text)],
      ),
  );
}
