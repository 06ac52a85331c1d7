import { randomUUID } from 'node:crypto';
import { routes } from '../../src/api/routes/all.ts';
import { mintWidgetToken } from '../../src/api/widget-token.ts';
import { createBatch } from '../../src/db/connection/batches.ts';
import { createLink } from '../../src/db/tenant/console-sessions.ts';
import { createKey, findKey, revokeKey } from '../../src/db/tenant/keys.ts';
import { keepCredential } from '../../src/provisioning/credentials.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { DEFAULT_SCOPES, endsOf } from '../../src/domain/console-session.ts';
import { SCOPES } from '../../src/domain/scope.ts';
import { someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { makeEndpoint } from '../support/fixtures/make-endpoint.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

/**
 * Expected status of every route for every kind of caller, on objects of a live application. A route without a row fails.
 * `elsewhere` is a widget token bound to another hostname, `other` another tenant's live key, `test` the tenant's test key.
 */
const EXPECTED = `
  route                                   none bad revoked expired read write admin webhooks usage widget bound elsewhere other test
  post   /connections                     401  401 401     401     403  201   403   403      403   201    201   403       404   404
  get    /connections                     401  401 401     401     200  403   403   403      403   403    403   403       200   200
  get    /connections:counts              401  401 401     401     200  403   403   403      403   403    403   403       200   200
  get    /connections:series              401  401 401     401     200  403   403   403      403   403    403   403       200   200
  get    /connections/{id}                401  401 401     401     200  403   403   403      403   200    200   404       404   404
  delete /connections/{id}                401  401 401     401     403  200   403   403      403   403    403   403       404   404
  post   /connections/{id}/verify         401  401 401     401     403  503   403   403      403   403    403   403       404   404
  post   /connections/{id}/records:check  401  401 401     401     403  200   403   403      403   200    200   404       404   404
  post   /connections/{id}/dns:plan       401  401 401     401     403  409   403   403      403   403    403   403       404   404
  post   /connections/{id}/dns:revert     401  401 401     401     403  200   403   403      403   403    403   403       404   404
  post   /connections/{id}/cutover        401  401 401     401     403  409   403   403      403   403    403   403       404   404
  get    /connections/{id}/cutover        401  401 401     401     404  403   403   403      403   403    403   403       404   404
  delete /connections/{id}/cutover        401  401 401     401     403  404   403   403      403   403    403   403       404   404
  post   /connections/{id}/email:apply    401  401 401     401     403  200   403   403      403   403    403   403       404   404
  post   /connections/{id}/share          401  401 401     401     403  201   403   403      403   403    403   403       404   404
  delete /connections/{id}/share          401  401 401     401     403  204   403   403      403   403    403   403       404   404
  patch  /connections/{id}                401  401 401     401     403  200   403   403      403   403    403   403       404   404
  put    /connections/{id}/certificate    401  401 401     401     403  403   400   403      403   403    403   403       404   404
  post   /connections/{id}/certificate:csr  401  401 401   401     403  403   201   403      403   403    403   403       404   404
  delete /connections/{id}/certificate    401  401 401     401     403  403   404   403      403   403    403   403       404   404
  post   /batches                         401  401 401     401     403  201   403   403      403   403    403   403       404   404
  get    /batches                         401  401 401     401     200  403   403   403      403   403    403   403       200   200
  get    /batches/{id}                    401  401 401     401     200  403   403   403      403   403    403   403       404   404
  post   /email/records                   401  401 401     401     200  403   403   403      403   403    403   403       200   200
  post   /domains:check                   401  401 401     401     200  403   403   403      403   200    200   403       404   404
  post   /tokens                          401  401 401     401     403  201   403   403      403   403    403   403       404   404
  post   /applications                    401  401 401     401     403  403   201   403      403   403    403   403       201   403
  get    /applications                    401  401 401     401     403  403   200   403      403   403    403   403       200   200
  get    /applications/{id}               401  401 401     401     403  403   200   403      403   403    403   403       404   404
  patch  /applications/{id}               401  401 401     401     403  403   200   403      403   403    403   403       404   404
  post   /applications/{id}/keys          401  401 401     401     403  403   201   403      403   403    403   403       404   404
  get    /applications/{id}/keys          401  401 401     401     403  403   200   403      403   403    403   403       404   404
  delete /applications/{id}/keys/{keyId}  401  401 401     401     403  403   200   403      403   403    403   403       404   404
  post   /applications/{id}/edge-secrets  401  401 401     401     403  403   201   403      403   403    403   403       404   404
  get    /applications/{id}/edge-secrets  401  401 401     401     403  403   200   403      403   403    403   403       404   404
  delete /applications/{id}/edge-secrets/{secret_id}  401  401 401     401     403  403   404   403      403   403    403   403       404   404
  post   /console-sessions                401  401 401     401     403  403   201   403      403   403    403   403       201   201
  get    /console-sessions                401  401 401     401     403  403   200   403      403   403    403   403       200   200
  delete /console-sessions/{id}           401  401 401     401     403  403   204   403      403   403    403   403       404   404
  post   /applications/{id}/credentials   401  401 401     401     403  403   201   403      403   403    403   403       404   404
  get    /applications/{id}/credentials   401  401 401     401     403  403   200   403      403   403    403   403       404   404
  post   /applications/{id}/credentials/{cid}:test  401  401 401     401     403  403   200   403      403   403    403   403       404   404
  patch  /applications/{id}/credentials/{cid}       401  401 401     401     403  403   200   403      403   403    403   403       404   404
  delete /applications/{id}/credentials/{cid}       401  401 401     401     403  403   204   403      403   403    403   403       404   404
  post   /webhook-endpoints                         401  401 401     401     403  403   201   201      403   403    403   403       404   404
  get    /webhook-endpoints                         401  401 401     401     403  403   200   200      403   403    403   403       200   200
  post   /webhook-endpoints/{id}:rotate-secret      401  401 401     401     403  403   200   200      403   403    403   403       404   404
  post   /webhook-endpoints/{id}:test               401  401 401     401     403  403   200   200      403   403    403   403       404   404
  post   /webhook-endpoints/{id}:recover            401  401 401     401     403  403   200   200      403   403    403   403       404   404
  get    /webhook-endpoints/{id}/deliveries         401  401 401     401     403  403   200   200      403   403    403   403       404   404
  get    /webhook-endpoints/{id}                    401  401 401     401     403  403   200   200      403   403    403   403       404   404
  patch  /webhook-endpoints/{id}                    401  401 401     401     403  403   200   200      403   403    403   403       404   404
  delete /webhook-endpoints/{id}                    401  401 401     401     403  403   204   204      403   403    403   403       404   404
  get    /deliveries                                401  401 401     401     403  403   200   200      403   403    403   403       404   404
  post   /deliveries/{id}:replay                    401  401 401     401     403  403   200   200      403   403    403   403       404   404
  get    /deliveries/{id}                           401  401 401     401     403  403   200   200      403   403    403   403       404   404
  get    /events                                    401  401 401     401     403  403   200   200      403   403    403   403       200   200
  get    /events/{id}                               401  401 401     401     403  403   200   200      403   403    403   403       404   404
  get    /providers                       401  401 401     401     200  200   200   200      200   403    403   403       200   200
  get    /usage                           401  401 401     401     200  403   403   403      200   403    403   403       200   200
  get    /plans                           401  401 401     401     200  200   200   200      200   403    403   403       200   200
  get    /subscriptions                   401  401 401     401     403  403   200   403      403   403    403   403       200   200
  post   /subscriptions                   401  401 401     401     403  403   502   403      403   403    403   403       502   403
  get    /audit                           401  401 401     401     403  403   200   403      403   403    403   403       200   200
  put    /sandbox/records                 401  401 401     401     403  403   403   403      403   403    403   403       403   200
  get    /sandbox/records                 401  401 401     401     403  403   403   403      403   403    403   403       403   200
`;

const [header = [], ...rows] = EXPECTED.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));
const ROLES = header.slice(1);
const cells = rows.flatMap(([method = '', path = '', ...codes]) =>
  codes.map((code, index) => ({ method, path, role: ROLES[index]!, code: Number(code) })),
);

let api: TestApi;
let owner: NewTenant;
let stranger: NewTenant;
beforeAll(async () => {
  api = await startTestApi();
  [owner, stranger] = await Promise.all([api.tenant(), api.tenant()]);
});
afterAll(() => api.stop());

/** A provider that does not answer, so its credential is saved as unverified. */
const NOWHERE = { provider: 'powerdns', credential: { api_url: 'http://127.0.0.1:9', api_key: 'not-a-real-key' } };
const UNSEEN = { status: 'unverified', reason: null, zones: null } as const;

/** Creates a connection, a key and a credential of the live application. */
async function makeTarget() {
  const { tenant_id, live } = owner;
  const hostname = someName();
  const connection = await newConnection(api.deps.pool, owner, hostname, { environment: 'live' });
  const credential = { tenantId: tenant_id, applicationId: live.application_id, ...NOWHERE, label: null };
  const { id: credentialId } = await keepCredential(api.deps.providerAccess, api.deps.pool, credential, UNSEEN);
  const webhook = await makeEndpoint(api.deps, owner);
  const batchId = randomUUID();
  const batch = {
    id: batchId,
    tenant_id,
    application_id: live.application_id,
    environment: 'live',
    now: new Date(),
  } as const;
  await api.deps.pool.transaction((tx) => createBatch(tx, batch, []));
  const keyId = (await key([])).id;
  const now = new Date();
  const { linkExpiresAt, expiresAt } = endsOf(now);
  const grant = { tenant_id, environment: 'live', scopes: DEFAULT_SCOPES, made_by: 'operator', key_id: null } as const;
  const { id: sessionId } = await createLink(api.deps.pool, { ...grant, now, expiresAt }, linkExpiresAt);
  return { hostname, connectionId: connection.id, batchId, keyId, sessionId, credentialId, ...webhook };
}
type Target = Awaited<ReturnType<typeof makeTarget>>;

let untouched: Promise<Target> | undefined;
/** Target for reads and refused requests, which do not change it. */
const sharedTarget = (): Promise<Target> => (untouched ??= makeTarget());

/** Creates a new target for each request that changes it. This also replaces the webhook endpoint of the shared target. */
function targetFor(method: string, code: number): Promise<Target> {
  if (method === 'get' || code === 401 || code === 403 || code === 404) return sharedTarget();
  untouched = undefined;
  return makeTarget();
}

type Scope = (typeof SCOPES)[number];

async function key(scopes: Scope[]) {
  const { tenant_id, live } = owner;
  const { row, secret } = await createKey(api.deps.pool, {
    tenant_id,
    application_id: live.application_id,
    environment: 'live',
    name: 'one role',
    scopes,
  });
  return { id: row.id, secret };
}

const secrets = new Map<Scope, Promise<string>>();
/** Returns the secret of a key with only this scope, created on first use. */
function keyWith(scope: Scope): Promise<string> {
  const secret = secrets.get(scope) ?? key([scope]).then((made) => made.secret);
  secrets.set(scope, secret);
  return secret;
}

async function token(hostname: string | null, mintedAt = new Date()) {
  const grant = {
    tenantId: owner.tenant_id,
    applicationId: owner.live.application_id,
    environment: 'live',
    hostname,
    externalId: null,
    mintedBy: (await findKey(api.deps.pool, owner.live.key))!.id,
  } as const;
  return (await mintWidgetToken(api.deps.keys.widgetTokens, api.deps.baseUrl, grant, mintedAt)).token;
}

/** Each create uses a new hostname, so that the answer is a 201. A bound token is bound to that hostname. */
const CREDENTIALS: Record<string, (hostname: string) => Promise<string | null> | string | null> = {
  none: () => null,
  bad: () => 'sk_live_0000000000000000000000000000000000000000000000000',
  revoked: async () => {
    const { id, secret } = await key([...SCOPES]);
    await revokeKey(api.deps.pool, id, new Date());
    return secret;
  },
  expired: () => token(null, new Date(Date.now() - 3_601_000)),
  read: () => keyWith('connections:read'),
  write: () => keyWith('connections:write'),
  admin: () => keyWith('apps:admin'),
  webhooks: () => keyWith('webhooks:write'),
  usage: () => keyWith('usage:read'),
  widget: () => token(null),
  bound: (hostname) => token(hostname),
  elsewhere: () => token('elsewhere.shop-site.com'),
  other: () => stranger.live.key,
  test: () => owner.test.key,
};

function requestOf(
  method: string,
  path: string,
  { hostname, connectionId, batchId, keyId, sessionId, credentialId, endpointId, deliveryId, eventId }: Target,
  applicationId: string,
) {
  const ids: Record<string, string> = {
    connections: connectionId,
    batches: batchId,
    'webhook-endpoints': endpointId,
    deliveries: deliveryId,
    events: eventId,
    'console-sessions': sessionId,
  };
  const id = ids[path.split(/[/:]/)[1] ?? ''] ?? applicationId;
  const name = method === 'post' && path === '/connections' ? someName() : hostname;
  const bodies: Record<string, object> = {
    'post /connections': { application_id: applicationId, hostname: name },
    'post /batches': { application_id: applicationId, hostnames: [name] },
    'post /console-sessions': { scopes: ['apps:admin'] },
    'post /tokens': { application_id: applicationId },
    'post /applications': { name: 'made', environment: 'live' },
    'patch /applications/{id}': { name: 'renamed' },
    'post /applications/{id}/keys': { name: 'made', scopes: ['apps:admin'] },
    'post /webhook-endpoints': { application_id: applicationId, url: 'https://hooks.shop-site.com/' },
    'patch /webhook-endpoints/{id}': { active: true },
    'post /webhook-endpoints/{id}:recover': { since: '2026-01-01T00:00:00Z' },
    'put /sandbox/records': { records: [] },
    'patch /connections/{id}': { point: 'auto' },
    'put /connections/{id}/certificate': { certificate_chain: 'none', private_key: 'none' },
    'post /connections/{id}/email:apply': { provider: 'google' },
    'post /email/records': { domain: name, provider: 'google' },
    'post /subscriptions': { plan: 'starter' },
    'post /domains:check': { domain: name, application_id: applicationId },
    'patch /applications/{id}/credentials/{cid}': { label: 'renamed' },
    'post /applications/{id}/credentials': { provider: NOWHERE.provider, credentials: NOWHERE.credential },
  };
  const body = bodies[`${method} ${path}`];
  return {
    hostname: name,
    url: `${api.baseUrl}/v1${path
      .replace('{id}', id)
      .replace(/\{keyId\}|\{secret_id\}/, keyId)
      .replace('{cid}', credentialId)}${path === '/deliveries' ? `?connection_id=${connectionId}` : ''}`,
    init: (credential: string | null): RequestInit => ({
      method: method.toUpperCase(),
      headers: {
        ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  };
}

test('every route has a row in the table, and every row a route', () => {
  const described = rows.map(([method, path]) => `${method} ${path}`);

  expect(described.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted());
  expect(Object.keys(CREDENTIALS)).toEqual(ROLES);
});

test.each(cells)('$method $path answers $code to the caller "$role"', async ({ method, path, role, code }) => {
  const target = await targetFor(method, code);
  const { hostname, url, init } = requestOf(method, path, target, owner.live.application_id);

  const response = await fetch(url, init(await CREDENTIALS[role]!(hostname)));
  const text = await response.text();

  expect({ status: response.status, text }).toEqual({ status: code, text: expect.any(String) as string });
  if (role === 'other' || role === 'test')
    for (const secret of [target.connectionId, target.keyId, target.eventId, owner.live.application_id])
      expect(text).not.toContain(secret);
});

const withIds = rows.filter(
  ([, path]) =>
    path!.includes('{id}') ||
    path === '/connections' ||
    path === '/webhook-endpoints' ||
    path === '/batches' ||
    path === '/deliveries' ||
    path === '/tokens' ||
    path === '/domains:check',
);

const LISTS = ['get /connections', 'get /webhook-endpoints', 'get /batches'];
test.each(withIds.filter(([method, path]) => !LISTS.includes(`${method} ${path}`)))(
  "%s %s: another tenant's object and a missing object get identical answers",
  async (method, path) => {
    const target = await sharedTarget();
    const nowhere = { ...target };
    for (const name of Object.keys(target) as (keyof Target)[]) if (name !== 'hostname') nowhere[name] = randomUUID();
    const foreign = requestOf(method, path, target, owner.live.application_id);
    const absent = requestOf(method, path, nowhere, randomUUID());

    const answers = [];
    for (const { url, init } of [foreign, absent]) {
      const response = await fetch(url, init(stranger.live.key));
      const headers = [...response.headers].filter(([name]) => !['x-request-id', 'date'].includes(name));
      answers.push({ status: response.status, headers, body: await response.text() });
    }

    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]!.status).toBe(404);
  },
);
