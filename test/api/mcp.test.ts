import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';

let api: TestApi;
let tenant: NewTenant;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
});
afterAll(() => api.stop());

/** Connects the official client with a credential, for the time of one function. */
async function withAgent<T>(credential: string, use: (agent: Client) => Promise<T>): Promise<T> {
  const agent = new Client({ name: 'test', version: '1' });
  const headers = { Authorization: `Bearer ${credential}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${api.baseUrl}/mcp`), { requestInit: { headers } });
  await agent.connect(transport);
  try {
    return await use(agent);
  } finally {
    await agent.close();
  }
}

const namesOf = async (agent: Client) => (await agent.listTools()).tools.map(({ name }) => name);

interface Result {
  isError?: boolean;
  structuredContent: Record<string, unknown>;
}
const call = async (agent: Client, name: string, args: object): Promise<Result> =>
  (await agent.callTool({ name, arguments: { ...args } })) as unknown as Result;

const WIDGET_TOOLS = ['check', 'connect', 'status', 'records'];
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const post = (headers: Record<string, string>, body: unknown = initialize) =>
  fetch(`${api.baseUrl}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  });
const token = async (hostname?: string) =>
  expectData(
    await api.client(tenant.live.key).POST('/v1/tokens', {
      body: { application_id: tenant.live.application_id, ...(hostname === undefined ? {} : { domain: hostname }) },
    }),
  ).auth_token;

test('an agent with an API key has nine tools, and connects, inspects and archives a domain with them', async () => {
  await withAgent(tenant.live.key, async (agent) => {
    expect(await namesOf(agent)).toEqual(TOOLS.map(({ name }) => name));
    const hostname = someName();
    const { structuredContent: made } = await call(agent, 'connect', { hostname });
    const id = made['id'] as string;
    expect(made).toMatchObject({ hostname, application_id: tenant.live.application_id });
    expect((await call(agent, 'status', { id })).structuredContent).toMatchObject({ hostname, desired_records: expect.any(Array) as unknown }); // prettier-ignore
    expect((await call(agent, 'list', { hostname })).structuredContent['data']).toMatchObject([{ id }]);
    expect((await call(agent, 'share_link', { id })).structuredContent['url']).toContain('/share/');
    const refused = await call(agent, 'archive', { id, confirm_hostname: `x${hostname}` });
    expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'invalid' } } });
    expect((await call(agent, 'status', { id })).structuredContent['state']).not.toBe('archived');
    const archived = await call(agent, 'archive', { id, confirm_hostname: hostname.toUpperCase() });
    expect(archived.isError).toBeUndefined();
    expect((await call(agent, 'status', { id })).structuredContent['state']).toBe('archived');
  });
});

test('an archive without confirm_hostname is refused and archives nothing', async () => {
  await withAgent(tenant.live.key, async (agent) => {
    const { structuredContent: made } = await call(agent, 'connect', { hostname: someName() });
    const id = made['id'] as string;
    await expect(call(agent, 'archive', { id })).resolves.toMatchObject({ isError: true });
    expect((await call(agent, 'status', { id })).structuredContent['state']).not.toBe('archived');
  });
});

test('a widget token sees the tools of its four routes, and stays bound to its hostname', async () => {
  const hostname = someName();
  await withAgent(await token(hostname), async (agent) => {
    expect(await namesOf(agent)).toEqual(WIDGET_TOOLS);
    expect((await call(agent, 'connect', { hostname })).structuredContent).toMatchObject({ hostname });
    const other = await call(agent, 'connect', { hostname: someName() });
    expect(other).toMatchObject({ isError: true, structuredContent: { error: { code: 'forbidden' } } });
    await expect(call(agent, 'list', {})).resolves.toMatchObject({ isError: true });
  });
});

test('a key with one scope sees only the tools of that scope', async () => {
  const { secret = '' } = expectData(
    await api.client(tenant.live.key).POST('/v1/applications/{id}/keys', {
      params: { path: { id: tenant.live.application_id } },
      body: { name: 'reader', scopes: ['connections:read'] },
    }),
  );
  expect(await withAgent(secret, namesOf)).toEqual(['check', 'status', 'list']);
});

test('an agent of another tenant gets the answer of a connection that does not exist', async () => {
  const made = await withAgent(tenant.live.key, (agent) => call(agent, 'connect', { hostname: someName() }));
  const other = await api.tenant();
  const answer = await withAgent(other.live.key, (agent) =>
    call(agent, 'status', { id: made.structuredContent['id'] }),
  );
  expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'not_found' } } });
});

test('without a valid credential nothing is read, and only POST is allowed', async () => {
  const anonymous = await post({}, '{ this is never parsed');
  expect(anonymous.status).toBe(401);
  expect(anonymous.headers.get('www-authenticate')).toBe('Bearer');
  const get = await send('GET', `${api.baseUrl}/mcp`, { credential: tenant.live.key });
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
});

test('a page may use it only from our own origin, or from one of the application’s', async () => {
  const authorization = `Bearer ${tenant.live.key}`;
  const origin = 'https://agents.example.org';
  expect((await post({ authorization, origin: new URL(api.baseUrl).origin })).status).toBe(200);
  expect((await post({ authorization, origin })).status).toBe(403);
  await api.client(tenant.live.key).PATCH('/v1/applications/{id}', {
    params: { path: { id: tenant.live.application_id } },
    body: { allowed_origins: [origin] },
  });
  const answer = await post({ authorization, origin });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
});

test('no session is kept: each request is answered by itself, and large bodies are refused', async () => {
  const authorization = `Bearer ${tenant.live.key}`;
  const listed = await post({ authorization }, { jsonrpc: '2.0', id: 7, method: 'tools/list' });
  expect(listed.headers.get('mcp-session-id')).toBeNull();
  expect(((await listed.json()) as { result: { tools: unknown[] } }).result.tools).toHaveLength(TOOLS.length);
  const large = await post({ authorization }, { jsonrpc: '2.0', id: 8, method: 'x'.repeat(110_000) });
  expect(large.status).toBe(413);
});

test('a tool call counts against the limit of its key, as a request to the API does', async () => {
  const own = await startTestApi({
    limits: { anonymous: null, key: { perSecond: 0.001, burst: 3 }, tenant: null, widget: null, verify: null },
  });
  try {
    const { live } = await own.tenant();
    const statuses: boolean[] = [];
    for (let i = 0; i < 5; i++) {
      const answer = await fetch(`${own.baseUrl}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${live.key}` }, // prettier-ignore
        body: JSON.stringify({ jsonrpc: '2.0', id: i, method: 'tools/call', params: { name: 'list', arguments: {} } }),
      });
      const { result } = (await answer.json()) as { result: Result };
      statuses.push(result.isError === true);
    }
    expect(statuses).toEqual([false, false, false, true, true]);
  } finally {
    await own.stop();
  }
});
