import { setTimeout as after } from 'node:timers/promises';
import { z } from 'zod';
import { notFound } from '../../src/domain/errors.ts';
import { getConnectionDetail } from '../../src/db/connection/connection-detail.ts';
import { route, waitingRoute, type Context, type Route } from '../../src/api/route.ts';
import { Id } from '../../src/api/schemas/common.ts';
import { routes } from '../../src/api/routes/all.ts';
import { expectData, someName, startTestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';

/** Common fields of the routes that exist only in these tests. */
const shared = { replies: { 200: z.unknown() }, errors: [], needs: [] } as const;

test('a handler that waits for another server holds no connection: more handlers wait than the pool has connections', async () => {
  const gate = Promise.withResolvers<undefined>();
  let waiting = 0;
  const wait: Route = waitingRoute({
    ...shared,
    method: 'post',
    path: '/wait/{id}',
    summary: 'Wait',
    params: Id,
    async handle({ params, inTransaction }) {
      waiting++;
      if (waiting === 30) gate.resolve(undefined);
      await Promise.race([gate.promise, after(10_000, undefined, { ref: false })]);
      const row = await inTransaction((tx) => getConnectionDetail(tx, params.id));
      if (row === null) throw notFound();
      return { status: 200, body: { hostname: row.hostname } };
    },
  });
  const api = await startTestApi({ routes: [...routes, wait] });
  const { live } = await api.tenant();
  const hostname = someName();
  const made = expectData(
    await api.client(live.key).POST('/v1/connections', { body: { application_id: live.application_id, hostname } }),
  );

  const ask = () => send('POST', `${api.baseUrl}/v1/wait/${made.id}`, { credential: live.key });
  const answers = await Promise.all(Array.from({ length: 30 }, ask));
  await api.stop();

  expect(new Set(answers.map(({ text }) => text))).toEqual(new Set([JSON.stringify({ hostname })]));
});

test('a route can have its own limit for each object', async () => {
  const limited: Route = route({
    ...shared,
    method: 'post',
    path: '/limited/{id}',
    summary: 'Limited',
    params: Id,
    limit: { by: 'verify', key: ({ id }) => id },
    handle: () => Promise.resolve({ status: 200, body: {} }),
  });
  const api = await startTestApi({
    routes: [limited],
    limits: { anonymous: null, key: null, tenant: null, widget: null, verify: { perSecond: 0.5, burst: 1 } },
  });
  const { live } = await api.tenant();
  const ask = (id: string) => send('POST', `${api.baseUrl}/v1/limited/${id}`, { credential: live.key });
  const [one, other] = ['019a0000-0000-7000-8000-00000000000a', '019a0000-0000-7000-8000-00000000000b'];

  const answers = [await ask(one), await ask(one), await ask(other), await ask(one.toUpperCase())];
  await api.stop();

  expect(answers.map(({ status }) => status)).toEqual([200, 429, 200, 429]);
  expect(answers[1]!.headers.get('ratelimit-policy')).toBe('"verify";q=1;w=2');
  expect(answers[1]!.headers.get('retry-after')).toBe('2');
});

test('another tenant cannot use up the limit of an object, or learn from the limit that the object exists', async () => {
  const api = await startTestApi({
    limits: { anonymous: null, key: null, tenant: null, widget: null, verify: { perSecond: 0.01, burst: 1 } },
  });
  const [one, other] = [await api.tenant(), await api.tenant()];
  const { id } = expectData(
    await api
      .client(one.live.key)
      .POST('/v1/connections', { body: { application_id: one.live.application_id, hostname: someName() } }),
  );
  await api.client(one.live.key).DELETE('/v1/connections/{id}', { params: { path: { id } } });
  const verify = (credential: string) => send('POST', `${api.baseUrl}/v1/connections/${id}/verify`, { credential });

  const stranger = await verify(other.live.key);
  const answers = [await verify(one.live.key), await verify(one.live.key)];
  await api.stop();

  expect([stranger, ...answers].map(({ status }) => status)).toEqual([404, 409, 429]);
});

test('afterCommit runs after the commit and before the answer', async () => {
  const seen: string[] = [];
  const archive = routes.find(({ method, path }) => method === 'delete' && path === '/connections/{id}')!;
  const watched: Route = {
    ...archive,
    async afterCommit({ params, deps }: Context) {
      const row = await getConnectionDetail(deps.pool, Id.parse(params).id);
      seen.push(row!.state);
    },
  };
  const api = await startTestApi({ routes: routes.map((each) => (each === archive ? watched : each)) });
  const { live } = await api.tenant();
  const { id } = expectData(
    await api
      .client(live.key)
      .POST('/v1/connections', { body: { application_id: live.application_id, hostname: someName() } }),
  );

  await api.client(live.key).DELETE('/v1/connections/{id}', { params: { path: { id } } });
  await api.stop();

  expect(seen).toEqual(['archived']);
});

test('every route with which only administrators change data writes to the audit log', () => {
  const changes = ({ method, replies }: Route) => (method === 'post' ? 201 in replies : method !== 'get');
  const untraced = routes.filter(
    (each) => changes(each) && each.needs.every((scope) => scope === 'apps:admin') && each.audit === undefined,
  );

  expect(untraced.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
