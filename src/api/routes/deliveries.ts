import type { Tx } from '../../db/pool.ts';
import { getConnection } from '../../db/connection/connections.ts';
import {
  attemptsOf,
  getDelivery,
  listDeliveries,
  lockDelivery,
  type DeliveryRow,
} from '../../db/webhook/deliveries.ts';
import { getEndpoint, type EndpointRow } from '../../db/webhook/endpoints.ts';
import { replayDelivery } from '../../db/webhook/replays.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { reach, type Caller } from '../caller.ts';
import { pager } from '../cursor.ts';
import { route } from '../route.ts';
import { Id } from '../schemas/common.ts';
import { ConnectionDeliveryQuery, Delivery, DeliveryDetail, DeliveryList } from '../schemas/webhooks.ts';
import { deliveryFilter, presentAttempt, presentDelivery } from '../webhook-resources.ts';

const needs = ['apps:admin', 'webhooks:write'] as const;

const list = route({
  method: 'get',
  path: '/deliveries',
  summary: "List the deliveries of a connection's events in the last 30 days",
  needs,
  query: ConnectionDeliveryQuery,
  replies: { 200: DeliveryList },
  errors: ['not_found'],
  async handle({ caller, query, tx, deps }) {
    const connection = reach(caller, await getConnection(tx, query.connection_id));
    const pages = pager(deps.keys.signedState, caller.tenantId, `deliveries of connection ${connection.id}`);
    const page = pages.request(query, 20);
    const rows = await listDeliveries(tx, { connection_id: connection.id, ...deliveryFilter(query) }, page);
    return { status: 200, body: pages.answer(rows, page, presentDelivery) };
  },
});

const replay = route({
  method: 'post',
  path: '/deliveries/{id}:replay',
  summary: 'Send an event to its endpoint again now',
  needs,
  params: Id,
  replies: { 200: Delivery },
  errors: ['not_found', 'invalid_state'],
  async handle({ caller, params, tx, now }) {
    const { delivery, endpoint } = await reached(tx, caller, await lockDelivery(tx, params.id));
    if (!endpoint.active)
      throw new ServiceError('invalid_state', 'The endpoint is not active. PATCH it with active: true first.');
    await replayDelivery(tx, delivery, now);
    return { status: 200, body: presentDelivery((await getDelivery(tx, delivery.id)) ?? delivery) };
  },
});

const get = route({
  method: 'get',
  path: '/deliveries/{id}',
  summary: 'Retrieve a delivery and its attempts',
  needs,
  params: Id,
  replies: { 200: DeliveryDetail },
  errors: ['not_found'],
  async handle({ caller, params, tx }) {
    const { delivery } = await reached(tx, caller, await getDelivery(tx, params.id));
    const attempts = await attemptsOf(tx, delivery.id);
    return { status: 200, body: { ...presentDelivery(delivery), attempts: attempts.map(presentAttempt) } };
  },
});

export const deliveryRoutes = [list, replay, get];

/** Returns a delivery and its endpoint, if the caller reaches the endpoint. */
async function reached(
  tx: Tx,
  caller: Caller,
  delivery: DeliveryRow | null,
): Promise<{ delivery: DeliveryRow; endpoint: EndpointRow }> {
  if (delivery === null) throw notFound();
  return { delivery, endpoint: reach(caller, await getEndpoint(tx, delivery.endpoint_id)) };
}
