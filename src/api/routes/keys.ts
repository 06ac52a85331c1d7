import { getApplication } from '../../db/tenant/applications.ts';
import { createKey, getKey, listKeys, revokeKey, type KeyRow } from '../../db/tenant/keys.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { reachApplication } from '../caller.ts';
import { pager } from '../cursor.ts';
import { route } from '../route.ts';
import { Id, ListQuery } from '../schemas/common.ts';
import { ApiKey, ApiKeyCreated, ApiKeyList, CreateKey, KeyPath } from '../schemas/keys.ts';

const create = route({
  method: 'post',
  path: '/applications/{id}/keys',
  summary: 'Create an API key. The secret is returned only once.',
  needs: ['apps:admin'],
  createsCredential: true,
  idempotent: { secrets: ['secret'] },
  audit: 'key.created',
  params: Id,
  body: CreateKey,
  replies: { 201: ApiKeyCreated },
  errors: ['not_found'],
  async handle({ caller, params, body, tx }) {
    const application = reachApplication(caller, await getApplication(tx, params.id));
    const scopes = body.scopes ?? [...caller.scopes];
    const lacking = scopes.filter((scope) => !caller.scopes.has(scope));
    if (lacking.length > 0)
      throw new ServiceError('forbidden', `A key cannot grant scopes that it does not have: ${lacking.join(', ')}.`);
    const { row, secret } = await createKey(tx, {
      tenant_id: caller.tenantId,
      application_id: application.id,
      environment: application.environment,
      name: body.name,
      scopes: [...new Set(scopes)],
    });
    return { status: 201, body: { ...present(row), secret } };
  },
});

const list = route({
  method: 'get',
  path: '/applications/{id}/keys',
  summary: "List an application's API keys, without secrets",
  needs: ['apps:admin'],
  params: Id,
  query: ListQuery,
  replies: { 200: ApiKeyList },
  errors: ['not_found'],
  async handle({ caller, params, query, tx, deps }) {
    const application = reachApplication(caller, await getApplication(tx, params.id));
    const pages = pager(deps.keys.signedState, caller.tenantId, `keys ${application.id}`);
    const page = pages.request(query, null);
    return { status: 200, body: pages.answer(await listKeys(tx, application.id, page), page, present) };
  },
});

const revoke = route({
  method: 'delete',
  path: '/applications/{id}/keys/{keyId}',
  summary: 'Revoke an API key. Its next request is refused.',
  needs: ['apps:admin'],
  audit: 'key.revoked',
  params: KeyPath,
  replies: { 200: ApiKey },
  errors: ['not_found'],
  async handle({ caller, params, tx, now }) {
    const application = reachApplication(caller, await getApplication(tx, params.id));
    const key = await getKey(tx, application.id, params.keyId);
    const revoked = key === null ? null : await revokeKey(tx, key.id, now);
    if (revoked === null) throw notFound();
    return { status: 200, body: present(revoked) };
  },
});

export const keyRoutes = [create, list, revoke];

const present = (row: KeyRow) => ({
  id: row.id,
  application_id: row.application_id,
  name: row.name,
  last4: row.last4,
  environment: row.environment,
  scopes: row.scopes,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
  revoked_at: row.revoked_at?.toISOString() ?? null,
});
