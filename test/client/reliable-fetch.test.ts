import { createClient } from '../../client/index.ts';
import { reliableFetch } from '../../client/reliable-fetch.ts';

interface Seen {
  method: string;
  path: string;
  key: string | null;
  body: string;
}

/** Answers requests with these answers in turn. An error is a lost connection. */
function service(...answers: (Response | Error)[]) {
  const seen: Seen[] = [];
  const waits: number[] = [];
  const fetch = reliableFetch(
    async (request) => {
      const { method, url, headers } = request;
      seen.push({
        method,
        path: new URL(url).pathname,
        key: headers.get('idempotency-key'),
        body: await request.text(),
      });
      const answer = answers.shift() ?? new Error('There are no more answers.');
      if (answer instanceof Error) throw answer;
      return answer;
    },
    {
      retries: 3,
      sleep: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
    },
  );
  const client = createClient({ baseUrl: 'https://service.test', credential: 'k', retries: 0, fetch });
  return { client, seen, waits };
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
const busy = (seconds?: number) =>
  json(503, { error: { code: 'unavailable', message: 'Busy.', details: null } }, seconds === undefined ? {} : { 'retry-after': String(seconds) }); // prettier-ignore
const create = { application_id: 'a', hostname: 'shop.example.com' };

test('a creation whose answer is lost is repeated with the same body and the same key, which the service does not carry out twice', async () => {
  const { client, seen } = service(new Error('reset'), json(502, {}), json(201, { id: 'c' }));
  expect(await client.connections.create(create)).toEqual({ id: 'c' });
  expect(new Set(seen.map(({ key, body }) => `${key} ${body}`)).size).toBe(1);
  expect(seen).toHaveLength(3);
  expect(seen[0]).toMatchObject({
    key: expect.stringMatching(/^[\da-f-]{36}$/) as string,
    body: JSON.stringify(create),
  });
});

test('a given Idempotency-Key is kept', async () => {
  const { client, seen } = service(json(201, {}));
  await client.POST('/v1/connections', { params: { header: { 'Idempotency-Key': 'mine' } }, body: create });
  expect(seen[0]?.key).toBe('mine');
});

test('a refusal for a moment is repeated after the time that the service asks for, at most a minute', async () => {
  const { client, waits } = service(busy(2), busy(86_400), busy(), json(200, { data: [], next_cursor: null }));
  for await (const one of client.connections.list()) expect(one).toBeUndefined();
  expect(waits.slice(0, 2)).toEqual([2_000, 60_000]);
  expect(waits[2]).toBeGreaterThanOrEqual(1_500);
});

test('a POST that could happen twice is repeated after a refusal, but never after a lost connection', async () => {
  const refused = service(busy(1), json(200, {}));
  await refused.client.webhookEndpoints.rotateSecret('e');
  expect(refused.seen).toHaveLength(2);
  for (const lost of [new Error('reset'), json(502, {})]) {
    const { client, seen } = service(lost, json(200, {}));
    await expect(client.webhookEndpoints.rotateSecret('e')).rejects.toThrow();
    expect(seen).toHaveLength(1);
  }
});

test('an error answer is thrown once, with its code, status, message and request id', async () => {
  const error = { code: 'HostnameConflict', message: 'It is taken.', details: { hostname: 'x' } };
  const { client, seen } = service(json(409, { error }, { 'x-request-id': 'r1' }));
  await expect(client.connections.create(create)).rejects.toMatchObject({ ...error, status: 409, requestId: 'r1' });
  expect(seen).toHaveLength(1);
});

test('after the last repetition the refusal is thrown', async () => {
  const { client, seen } = service(busy(0), busy(0), busy(0), busy(0), json(200, {}));
  await expect(client.connections.get('c')).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  expect(seen).toHaveLength(4);
});

describe('waitUntil', () => {
  const at = (state: string, etag: string) =>
    json(200, { id: 'c', hostname: 'shop.example.com', state, findings: [{ message: 'No record.', fix: 'Add it.' }] }, { etag, 'retry-after': '0' }); // prettier-ignore

  test('polls without downloading the same answer again, reports each change, and returns the connection', async () => {
    const states: string[] = [];
    const { client, seen } = service(at('propagating', '"1"'), new Response(null, { status: 304, headers: { 'retry-after': '0' } }), at('live', '"2"')); // prettier-ignore
    const live = await client.connections.waitUntil('c', 'live', { onChange: ({ state }) => states.push(state) });
    expect([live.state, states]).toEqual(['live', ['propagating', 'live']]);
    expect(seen).toHaveLength(3);
  });

  test('fails with the fix if the connection has failed, or the time is over', async () => {
    const failed = service(at('failed', '"1"'));
    await expect(failed.client.connections.waitUntil('c', 'live')).rejects.toThrow(
      'shop.example.com is failed, not live. No record. Add it.',
    );
    const slow = service(...Array.from({ length: 50 }, () => at('propagating', '"1"')));
    await expect(slow.client.connections.waitUntil('c', 'live', { timeoutMs: -1 })).rejects.toMatchObject({
      name: 'NotReachedError',
      connection: { state: 'propagating' },
    });
  });

  test('ends when its signal does', async () => {
    const abort = new AbortController();
    const { client } = service(json(200, { state: 'propagating', findings: [] }, { 'retry-after': '60' }));
    const waiting = client.connections.waitUntil('c', 'live', { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
