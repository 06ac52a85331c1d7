import type { Tx } from '../../db/pool.ts';
import { attemptsOf, getDelivery, lockDelivery, type DeliveryRow } from '../../db/webhook/deliveries.ts';
import { getEndpoint, type EndpointRow } from '../../db/webhook/endpoints.ts';
import { replayDelivery } from '../../db/webhook/replays.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { reach, type Caller } from '../caller.ts';
import { route } from '../route.ts';
import { Id } from '../schemas/common.ts';
import { Delivery, DeliveryDetail } from '../schemas/webhooks.ts';
import { presentAttempt, presentDelivery } from '../webhook-resources.ts';

const needs = ['apps:admin', 'webhooks:write'] as const;

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

export const deliveryRoutes = [replay, get];

/** Returns a delivery and its endpoint, if the caller reaches the endpoint. */
async function reached(
  tx: Tx,
  caller: Caller,
  delivery: DeliveryRow | null,
): Promise<{ delivery: DeliveryRow; endpoint: EndpointRow }> {
  if (delivery === null) throw notFound();
  return { delivery, endpoint: reach(caller, await getEndpoint(tx, delivery.endpoint_id)) };
}
