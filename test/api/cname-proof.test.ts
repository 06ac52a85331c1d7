import { startTestApi, type TestApi } from '../support/fixtures/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

test('no request can choose the proof by CNAME, and connections show theirs', async () => {
  const tenant = await api.tenant();
  const { application_id, key } = tenant.live;
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${api.baseUrl}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const hostname = 'shop.customer-lab.com';
  for (const field of [{ proof: 'cname_target' }, { proof_target: 'customers.saas-lab.com' }, { target: 'x.com' }]) {
    expect(await post('/connections', { application_id, hostname, ...field })).toMatchObject({ status: 400 });
    expect(await post('/batches', { application_id, hostnames: [{ hostname, ...field }] })).toMatchObject({
      status: 400,
    });
    expect(await post('/tokens', { application_id, ...field })).toMatchObject({ status: 400 });
  }
  expect(await post('/connections', { application_id, hostname })).toMatchObject({
    status: 201,
    body: { proof: 'txt' },
  });
});
