import { createEdgeSecret, dropEdgeSecret } from '../../certificates/edge-secrets.ts';
import { listEdgeSecrets, type EdgeSecretRow } from '../../db/edge/edge-secrets.ts';
import { getApplication, lockApplication } from '../../db/tenant/applications.ts';
import { DAY } from '../../domain/duration.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { untilEveryCopyKnows } from '../../edge/barrier.ts';
import { reachApplication } from '../caller.ts';
import { pager } from '../cursor.ts';
import { route } from '../route.ts';
import { Id, ListQuery, Nothing } from '../schemas/common.ts';
import { CreateEdgeSecret, EdgeSecretCreated, EdgeSecretList, EdgeSecretPath } from '../schemas/edge-secrets.ts';

/** Each active secret adds a signature to every request. */
const SECRETS_MAX = 5;
const ALL = { limit: null, after: null };

const create = route({
  method: 'post',
  path: '/applications/{id}/edge-secrets',
  summary:
    'Create a secret with which edges sign requests to your origins, from a day later on. It is returned only once.',
  needs: ['apps:admin'],
  createsCredential: true,
  idempotent: { secrets: ['secret'] },
  audit: 'edge_secret.created',
  params: Id,
  body: CreateEdgeSecret,
  replies: { 201: EdgeSecretCreated },
  errors: ['not_found', 'invalid_state'],
  async handle({ caller, params, body, tx, deps: { vault }, now }) {
    const application = reachApplication(caller, await lockApplication(tx, params.id));
    const known = await listEdgeSecrets(tx, application.id, ALL);
    const pending = known.filter(({ active_from }) => active_from > now);
    if (pending.length > 0 && body?.now !== true)
      throw new ServiceError('invalid_state', 'A secret is not active yet. Wait for it, delete it, or send now: true.');
    if (known.length - pending.length >= SECRETS_MAX)
      throw new ServiceError(
        'invalid_state',
        `An application can have at most ${SECRETS_MAX} secrets. Delete one first.`,
      );
    for (const { id } of pending) await dropEdgeSecret(tx, application.id, id);
    const activeFrom = body?.now === true ? now : new Date(now.getTime() + DAY);
    const { id, secret } = await createEdgeSecret(tx, vault, application, { activeFrom, now });
    const audited = { id, environment: application.environment };
    return { status: 201, body: { ...present({ id, active_from: activeFrom, created_at: now }), secret }, audited };
  },
  // The answer means that every edge has the secret and, with `now`, signs with it.
  afterCommit: ({ params, deps: { pool } }) => untilEveryCopyKnows(pool, { applicationId: params.id }),
});

const list = route({
  method: 'get',
  path: '/applications/{id}/edge-secrets',
  summary: "List an application's edge secrets, without their values",
  needs: ['apps:admin'],
  params: Id,
  query: ListQuery,
  replies: { 200: EdgeSecretList },
  errors: ['not_found'],
  async handle({ caller, params, query, tx, deps }) {
    const application = reachApplication(caller, await getApplication(tx, params.id));
    const pages = pager(deps.keys.signedState, caller.tenantId, `edge secrets ${application.id}`);
    const page = pages.request(query, null);
    return { status: 200, body: pages.answer(await listEdgeSecrets(tx, application.id, page), page, present) };
  },
});

const remove = route({
  method: 'delete',
  path: '/applications/{id}/edge-secrets/{secret_id}',
  summary: 'Delete an edge secret. When the call returns, no edge signs with it.',
  needs: ['apps:admin'],
  audit: 'edge_secret.deleted',
  params: EdgeSecretPath,
  replies: { 204: Nothing },
  errors: ['not_found'],
  async handle({ caller, params, tx }) {
    const { id, environment } = reachApplication(caller, await lockApplication(tx, params.id));
    if (!(await dropEdgeSecret(tx, id, params.secret_id))) throw notFound();
    return { status: 204, body: null, audited: { id: params.secret_id, environment } };
  },
  afterCommit: ({ params, deps: { pool } }) => untilEveryCopyKnows(pool, { applicationId: params.id }),
});

export const edgeSecretRoutes = [create, list, remove];

const present = ({ id, active_from, created_at }: Pick<EdgeSecretRow, 'id' | 'active_from' | 'created_at'>) => ({
  id,
  active_from: active_from.toISOString(),
  created_at: created_at.toISOString(),
});
