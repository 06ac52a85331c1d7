import { readFileSync } from 'node:fs';
import { RequestIds, verifyEdgeRequest, type EdgeVerifyOptions } from '../../client/edge.ts';
import { verifyWebhook } from '../../client/webhooks.ts';
import { vectors, VECTORS_FILE, type EdgeVector, type Vectors } from '../../tools/clients/vectors.ts';

const committed = JSON.parse(readFileSync(VECTORS_FILE, 'utf8')) as Vectors;

const codeOf = (check: Promise<unknown>): Promise<string | null> =>
  check.then(
    () => null,
    (error: unknown) => (error as { code: string }).code,
  );

const headersOf = ({ signature, host, id, metadata }: EdgeVector) => ({
  'x-svc-edge-signature': signature,
  'x-forwarded-host': host,
  'x-request-id': id,
  ...(metadata === '' ? {} : { 'x-svc-metadata': metadata }),
});
const verifyEdge = (vector: EdgeVector, options: EdgeVerifyOptions = {}) => {
  const request = { method: vector.method, url: vector.uri, headers: headersOf(vector) };
  return codeOf(verifyEdgeRequest(request, vector.secrets, { now: vector.now * 1_000, ...options }));
};

test('the messages that clients in every language are tested with are current', () => {
  expect(committed).toEqual(vectors());
});

test('a webhook is accepted only with an intact body, a fresh time and a known secret', async () => {
  for (const { name, code, secrets, now, timestamp, signature, body } of committed.webhooks) {
    const headers = { 'X-Svc-Timestamp': timestamp, 'X-Svc-Signature': signature };
    const check = verifyWebhook(Buffer.from(body), headers, secrets, { now: now * 1_000 });
    expect([name, await codeOf(check)]).toEqual([name, code]);
  }
});

test('a request of an edge is accepted once, and not if it is altered or old', async () => {
  for (const vector of committed.edge)
    expect([vector.name, await verifyEdge(vector)]).toEqual([vector.name, vector.code]);
  const options = { requestIds: new RequestIds() };
  const [first] = committed.edge;
  expect([await verifyEdge(first!, options), await verifyEdge(first!, options)]).toEqual([null, 'replayed']);
});

test('a request of fetch is accepted, whose URL is absolute', async () => {
  const [vector] = committed.edge;
  const { method, uri, secrets, now } = vector!;
  const request = new Request(`http://origin.internal:8080${uri}`, { method, headers: headersOf(vector!) });
  expect(await codeOf(verifyEdgeRequest(request, secrets, { now: now * 1_000 }))).toBeNull();
});
