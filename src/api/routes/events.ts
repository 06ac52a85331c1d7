import { getEvent, listEvents } from '../../db/webhook/events.ts';
import { deliveriesOfEvent } from '../../db/webhook/deliveries.ts';
import { envelopeOf } from '../../domain/webhook/events.ts';
import { environmentsOf, reach } from '../caller.ts';
import { pager } from '../cursor.ts';
import { route } from '../route.ts';
import { Id } from '../schemas/common.ts';
import { EventDetail, EventList, EventQuery } from '../schemas/webhooks.ts';
import { presentDelivery } from '../webhook-resources.ts';

const needs = ['apps:admin', 'webhooks:write'] as const;

const list = route({
  method: 'get',
  path: '/events',
  summary: 'List the events of the last 30 days, whether or not they were delivered',
  needs,
  query: EventQuery,
  replies: { 200: EventList },
  errors: [],
  async handle({ caller, query: { cursor, limit, ...filter }, tx, deps }) {
    const pages = pager(deps.keys.signedState, caller.tenantId, 'events');
    const page = pages.request({ cursor, limit }, 20);
    const rows = await listEvents(tx, { environments: environmentsOf(caller), ...filter }, page);
    return { status: 200, body: pages.answer(rows, page, envelopeOf) };
  },
});

const get = route({
  method: 'get',
  path: '/events/{id}',
  summary: 'Retrieve an event and its deliveries',
  needs,
  params: Id,
  replies: { 200: EventDetail },
  errors: ['not_found'],
  async handle({ caller, params, tx }) {
    const row = reach(caller, await getEvent(tx, params.id));
    const deliveries = await deliveriesOfEvent(tx, row.id);
    return { status: 200, body: { ...envelopeOf(row), deliveries: deliveries.map(presentDelivery) } };
  },
});

export const eventRoutes = [list, get];
