import { uuidv7 } from 'uuidv7';
import { lockApplication } from '../../db/tenant/applications.ts';
import { recordTestEvent } from '../../db/webhook/events.ts';
import { getDelivery, listDeliveries } from '../../db/webhook/deliveries.ts';
import {
  deleteEndpoint,
  ENDPOINTS_MAX,
  getEndpoint,
  insertEndpoint,
  listEndpoints,
  lockEndpoint,
  replaceSecrets,
  updateEndpoint,
  type EndpointRow,
} from '../../db/webhook/endpoints.ts';
import { RECOVERED_PER_CALL, recoverEndpoint } from '../../db/webhook/replays.ts';
import { invalid, notFound, ServiceError, type Problem } from '../../domain/errors.ts';
import { DEFAULT_EVENTS, TEST_EVENT } from '../../domain/webhook/events.ts';
import { exampleData } from '../../domain/webhook/event-example.ts';
import { DAY } from '../../domain/duration.ts';
import { rotated } from '../../domain/webhook/secret.ts';
import { openSecrets, sealSecrets } from '../../webhooks/secrets.ts';
import { mintWebhookSecret } from '../../webhooks/sign.ts';
import { environmentsOf, reach, reachApplication } from '../caller.ts';
import { pager } from '../cursor.ts';
import type { ApiDeps } from '../deps.ts';
import { addressProblem, checkReceiverUrl } from '../origins.ts';
import { route } from '../route.ts';
import { Id, Nothing } from '../schemas/common.ts';
import {
  CreateEndpoint,
  Delivery,
  DeliveryList,
  DeliveryQuery,
  EndpointQuery,
  RecoverEndpoint,
  Recovered,
  RotateSecret,
  SecretRotated,
  TestEndpoint,
  UpdateEndpoint,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookEndpointWithSecret,
} from '../schemas/webhooks.ts';
import { deliveryFilter, presentDelivery, presentEndpoint } from '../webhook-resources.ts';

const needs = ['apps:admin', 'webhooks:write'] as const;

const create = route({
  method: 'post',
  path: '/webhook-endpoints',
  summary: 'Create a webhook endpoint. The signing secret is returned only once.',
  needs,
  idempotent: { secrets: ['signing_secret'] },
  audit: 'webhook_endpoint.created',
  body: CreateEndpoint,
  replies: { 201: WebhookEndpointWithSecret },
  errors: ['not_found', 'invalid_state'],
  prepare: ({ body, deps }) => receiverProblem(body.url, deps),
  async handle({ caller, body, tx, deps, now, prepared }) {
    const application = reachApplication(caller, await lockApplication(tx, body.application_id));
    const url = checkedUrl(body.url, application.environment, prepared);
    const { tenant_id, environment } = application;
    const owner = { id: uuidv7(), tenant_id, application_id: application.id };
    const signing_secret = mintWebhookSecret();
    const sealed = sealSecrets(deps.vault, owner, { current: signing_secret, next: null });
    const events = [...new Set(body.events ?? DEFAULT_EVENTS)];
    const row = await insertEndpoint(tx, { ...owner, ...sealed, environment, url, events, active: true });
    if (row === null)
      throw new ServiceError('invalid_state', `An application can have at most ${ENDPOINTS_MAX} webhook endpoints.`);
    return { status: 201, body: { ...presentEndpoint(row, now), signing_secret } };
  },
});

const list = route({
  method: 'get',
  path: '/webhook-endpoints',
  summary: 'List webhook endpoints, without secrets',
  needs,
  query: EndpointQuery,
  replies: { 200: WebhookEndpointList },
  errors: [],
  async handle({ caller, query: { application_id, ...query }, tx, deps, now }) {
    const pages = pager(deps.keys.signedState, caller.tenantId, 'webhook endpoints');
    const page = pages.request(query, 20);
    const rows = await listEndpoints(tx, { environments: environmentsOf(caller), application_id }, page);
    return { status: 200, body: pages.answer(rows, page, (row) => presentEndpoint(row, now)) };
  },
});

const rotate = route({
  method: 'post',
  path: '/webhook-endpoints/{id}:rotate-secret',
  summary: 'Create a new signing secret, which takes effect later, or immediately after a leak',
  needs,
  audit: 'webhook_endpoint.secret_rotated',
  params: Id,
  body: RotateSecret,
  replies: { 200: SecretRotated },
  errors: ['not_found'],
  async handle({ caller, params, body, tx, deps, now }) {
    const before = reach(caller, await lockEndpoint(tx, params.id));
    const { vault } = deps;
    const activatesAt = body?.now === true ? now : activationOf(body?.activates_at, now);
    const signing_secret = mintWebhookSecret();
    const secrets = rotated(openSecrets(vault, before), signing_secret, activatesAt, now.getTime());
    const row = await replaceSecrets(
      tx,
      before.id,
      sealSecrets(vault, before, secrets),
      secrets.next?.activatesAt ?? null,
    );
    const rotation = { signing_secret, activates_at: activatesAt.toISOString() };
    return { status: 200, body: { ...presentEndpoint(row, now), ...rotation } };
  },
});

const test = route({
  method: 'post',
  path: '/webhook-endpoints/{id}:test',
  summary: 'Send a test event to this endpoint only',
  needs,
  params: Id,
  body: TestEndpoint,
  replies: { 200: Delivery },
  errors: ['not_found', 'invalid_state'],
  async handle({ caller, params, body, tx, now }) {
    const endpoint = activeOne(reach(caller, await getEndpoint(tx, params.id)));
    const type = body?.type ?? TEST_EVENT;
    if (type !== TEST_EVENT && endpoint.environment === 'live') {
      const message = `A live endpoint accepts only ${TEST_EVENT} as a test event.`;
      throw invalid([{ path: 'body.type', code: 'test_only', message }]);
    }
    const id = await recordTestEvent(tx, endpoint, type, { now, data: exampleData(type, endpoint) });
    const delivery = await getDelivery(tx, id);
    if (delivery === null) throw notFound();
    return { status: 200, body: presentDelivery(delivery) };
  },
});

const recover = route({
  method: 'post',
  path: '/webhook-endpoints/{id}:recover',
  summary: 'Resend all events since a given time that were not delivered to this endpoint',
  needs,
  params: Id,
  body: RecoverEndpoint,
  replies: { 200: Recovered },
  errors: ['not_found', 'invalid_state'],
  async handle({ caller, params, body, tx, now }) {
    const endpoint = activeOne(reach(caller, await getEndpoint(tx, params.id)));
    const recovered = await recoverEndpoint(tx, endpoint, new Date(body.since), now);
    return { status: 200, body: { recovered, more: recovered === RECOVERED_PER_CALL } };
  },
});

const deliveries = route({
  method: 'get',
  path: '/webhook-endpoints/{id}/deliveries',
  summary: "List an endpoint's deliveries of the last 30 days",
  needs,
  params: Id,
  query: DeliveryQuery,
  replies: { 200: DeliveryList },
  errors: ['not_found'],
  async handle({ caller, params, query, tx, deps }) {
    const endpoint = reach(caller, await getEndpoint(tx, params.id));
    const pages = pager(deps.keys.signedState, caller.tenantId, `deliveries ${endpoint.id}`);
    const page = pages.request(query, 20);
    const rows = await listDeliveries(tx, { endpoint_id: endpoint.id, ...deliveryFilter(query) }, page);
    return { status: 200, body: pages.answer(rows, page, presentDelivery) };
  },
});

const get = route({
  method: 'get',
  path: '/webhook-endpoints/{id}',
  summary: 'Retrieve a webhook endpoint, without its secret',
  needs,
  params: Id,
  replies: { 200: WebhookEndpoint },
  errors: ['not_found'],
  async handle({ caller, params, tx, now }) {
    return { status: 200, body: presentEndpoint(reach(caller, await getEndpoint(tx, params.id)), now) };
  },
});

const update = route({
  method: 'patch',
  path: '/webhook-endpoints/{id}',
  summary: 'Update a webhook endpoint. Fields that you omit stay as they are.',
  needs,
  audit: 'webhook_endpoint.updated',
  params: Id,
  body: UpdateEndpoint,
  replies: { 200: WebhookEndpoint },
  errors: ['not_found'],
  prepare: ({ body, deps }) => receiverProblem(body.url, deps),
  async handle({ caller, params, body, tx, now, prepared }) {
    const before = reach(caller, await lockEndpoint(tx, params.id));
    const url = body.url === undefined ? before.url : checkedUrl(body.url, before.environment, prepared);
    const events = body.events === undefined ? before.events : [...new Set(body.events)];
    const row = await updateEndpoint(tx, before, { url, events, active: body.active ?? before.active });
    return { status: 200, body: presentEndpoint(row, now) };
  },
});

const remove = route({
  method: 'delete',
  path: '/webhook-endpoints/{id}',
  summary: 'Delete a webhook endpoint. Pending deliveries are not sent.',
  needs,
  audit: 'webhook_endpoint.deleted',
  params: Id,
  replies: { 204: Nothing },
  errors: ['not_found'],
  async handle({ caller, params, tx }) {
    const { id, environment } = reach(caller, await lockEndpoint(tx, params.id));
    await deleteEndpoint(tx, id);
    return { status: 204, body: null, audited: { id, environment } };
  },
});

/** Paths with a verb come first, because express would otherwise read the verb as part of the id. */
export const webhookEndpointRoutes = [create, list, rotate, test, recover, deliveries, get, update, remove];

const URL_PATH = 'body.url';

/** Queries DNS, so it runs before the transaction. Does not resolve a URL whose text is already invalid. */
function receiverProblem(url: string | undefined, { receiverDial }: ApiDeps): Promise<Problem | null> {
  const isGiven = url !== undefined && checkReceiverUrl(url, URL_PATH, 'test').ok;
  return isGiven ? addressProblem(url, URL_PATH, receiverDial) : Promise.resolve(null);
}

function checkedUrl(text: string, environment: EndpointRow['environment'], ofAddress: Problem | null): string {
  const checked = checkReceiverUrl(text, URL_PATH, environment);
  if (!checked.ok) throw invalid([checked.problem]);
  if (ofAddress !== null) throw invalid([ofAddress]);
  return checked.value;
}

const ROTATES_WITHIN = 30 * DAY;

function activationOf(given: string | undefined, now: Date): Date {
  const at = given === undefined ? new Date(now.getTime() + DAY) : new Date(given);
  if (at.getTime() <= now.getTime() + ROTATES_WITHIN) return at < now ? now : at;
  const message = 'activates_at must be within the next 30 days.';
  throw invalid([{ path: 'body.activates_at', code: 'too_big', message }]);
}

function activeOne(endpoint: EndpointRow): EndpointRow {
  if (!endpoint.active)
    throw new ServiceError('invalid_state', 'The endpoint is not active. PATCH it with active: true first.');
  return endpoint;
}
