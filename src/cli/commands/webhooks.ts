import { z } from 'zod';
import { EVENT_TYPES, TEST_EVENT } from '../../domain/webhook/events.ts';
import { API_OPTIONS } from '../api-access.ts';
import { required, type ApiCommand, type Values } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';
import { listenForEvents } from '../listen.ts';

const listen: ApiCommand = {
  name: 'listen',
  usage: '--forward-to URL [--events domain.verified,…] [--base-url URL --key KEY]',
  summary: 'Forward events as they happen to a receiver on this machine, signed, and print each answer',
  options: { ...API_OPTIONS, 'forward-to': { type: 'string' }, events: { type: 'string' } },
  requires: ['forward-to'],
  runByApi: (values, api) => listenForEvents(api, urlIn(values), kindsIn(values)),
};

const Endpoints = z.object({ data: z.array(z.object({ id: z.uuid(), active: z.boolean(), environment: z.string() })) });
const Delivery = z.object({ id: z.uuid(), endpoint_id: z.uuid(), event_id: z.uuid() });

const trigger: ApiCommand = {
  name: 'trigger',
  usage: 'EVENT [--base-url URL --key KEY]',
  summary: `Send an example of an event to your active endpoints in test: ${TEST_EVENT}, ${EVENT_TYPES[0]}, …`,
  options: API_OPTIONS,
  requires: ['EVENT'],
  positional: 'EVENT',
  async runByApi(values, api) {
    const type = kindOf(required(values, 'EVENT'));
    const { data } = Endpoints.parse(await api.call('GET', '/webhook-endpoints?limit=100'));
    const targets = data.filter(({ active, environment }) => active && environment === 'test');
    if (targets.length === 0) throw new CommandError('There is no active webhook endpoint in the test environment.');
    const sent = [];
    for (const { id } of targets)
      sent.push(Delivery.parse(await api.call('POST', `/webhook-endpoints/${id}:test`, { type })));
    return {
      json: sent,
      lines: sent.map(({ id, endpoint_id }) => `${type} is on its way to ${endpoint_id} (delivery ${id}).`),
    };
  },
};

const Deliveries = z.object({ type: z.string(), deliveries: z.array(Delivery) });

const resend: ApiCommand = {
  name: 'events resend',
  usage: 'ID [--base-url URL --key KEY]',
  summary: 'Send an event again to every endpoint that it was for',
  options: API_OPTIONS,
  requires: ['ID'],
  positional: 'ID',
  async runByApi(values, api) {
    const id = z.uuid().safeParse(required(values, 'ID'));
    if (!id.success) throw new UsageError('ID must be the id of an event, such as listen prints.');
    const { type, deliveries } = Deliveries.parse(await api.call('GET', `/events/${id.data}`));
    if (deliveries.length === 0) throw new CommandError('No endpoint was subscribed to it when it happened.');
    for (const delivery of deliveries) await api.call('POST', `/deliveries/${delivery.id}:replay`);
    return {
      json: { event_id: id.data, deliveries: deliveries.map((delivery) => delivery.id) },
      lines: deliveries.map(({ endpoint_id }) => `${type} is on its way to ${endpoint_id} again.`),
    };
  },
};

export const webhookCommands = [listen, trigger, resend];

function urlIn(values: Values): URL {
  const url = URL.parse(required(values, 'forward-to'));
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError('--forward-to must be an address such as http://localhost:3000/hooks.');
  return url;
}

const Kind = z.enum([TEST_EVENT, ...EVENT_TYPES]);

function kindOf(text: string): z.infer<typeof Kind> {
  const kind = Kind.safeParse(text);
  if (!kind.success) throw new UsageError(`There is no event ${text}: ${[TEST_EVENT, ...EVENT_TYPES].join(', ')}.`);
  return kind.data;
}

/** `domain.*` is every kind that begins so. */
function kindsIn(values: Values): ReadonlySet<string> | null {
  if (values['events'] === undefined) return null;
  return new Set(
    required(values, 'events')
      .split(',')
      .flatMap((text) =>
        text.endsWith('.*') ? EVENT_TYPES.filter((kind) => kind.startsWith(text.slice(0, -1))) : [kindOf(text)],
      ),
  );
}
