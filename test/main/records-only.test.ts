import { randomUUID } from 'node:crypto';
import { Service } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** The template of a sending domain: three DKIM keys, a sender policy that its owner merges, and a DMARC policy. */
const SENDING = [
  ...[1, 2, 3].map((number) => ({
    host: `{var.selector}${number}._domainkey`,
    type: 'CNAME',
    value: `{var.selector}${number}.{var.key}.dkim.example.net`,
  })),
  { host: '@', type: 'TXT', value: 'v=spf1 include:spf.example.net ~all' },
  { host: '_dmarc', type: 'TXT', value: 'v=DMARC1; p=none', required: false },
];

interface Row extends Record<string, unknown> {
  state: string;
  records_to_add: { host: string; type: string; value: string; status: string; required: boolean }[];
  timeline: { to: string | null }[];
}

let service: Service;
let applicationId: string;
beforeAll(async () => {
  service = await Service.start(await tempFolder());
  const made = await service.call('POST', '/applications', { name: 'Mail', record_template: SENDING });
  expect(made).toMatchObject({ status: 201 });
  applicationId = String(made.body['id']);
});
afterAll(() => service.stop());

const get = async (id: string) => (await service.call('GET', `/connections/${id}`)).body as Row;
const publish = async (...records: object[]) =>
  expect(await service.call('PUT', '/sandbox/records', { records })).toMatchObject({ status: 200 });
const domain = () => `${randomUUID().slice(0, 8)}.test`;

async function create(hostname: string, variables: Record<string, string>): Promise<string> {
  const body = { application_id: applicationId, hostname, serve: false, variables };
  const made = await service.call('POST', '/connections', body);
  expect(made).toMatchObject({ status: 201, body: { serve: false } });
  return String(made.body['id']);
}

test('records that a customer adds make a records-only connection live, without an edge and a certificate', async () => {
  const hostname = domain();
  const id = await create(hostname, { selector: 's', key: 'acme' });
  const { records_to_add } = await get(id);
  await publish({ host: hostname, type: 'TXT', value: 'v=spf1 ip4:192.0.2.1 -all' });
  const wanted = records_to_add.filter(({ required }) => required);
  expect(wanted.map(({ host }) => host)).toEqual([
    `_service-challenge.${hostname}`,
    ...[1, 2, 3].map((number) => `s${number}._domainkey.${hostname}`),
  ]);
  await publish(...wanted.map(({ host, type, value }) => ({ host, type, value })));

  const live = (await service.untilLive(id)) as Row;
  expect(live).toMatchObject({ serve: false, error_code: null, certificate: { status: 'none' } });
  expect(live.timeline.map(({ to }) => to)).not.toContain('issuing_cert');
  const policy = live.records_to_add.find(({ value }) => value.startsWith('v=spf1'));
  expect(policy).toMatchObject({
    value: 'v=spf1 ip4:192.0.2.1 include:spf.example.net -all',
    status: 'wrong',
    required: false,
  });
  const { internal_url } = await service.demo();
  expect((await fetch(`${internal_url}/internal/ask?domain=${hostname}`)).status).toBe(403);

  await publish({ host: hostname, type: 'TXT', value: String(policy?.value) });
  await service.call('POST', `/connections/${id}/records:check`);
  await until(async () =>
    (await get(id)).records_to_add.some((one) => one.value === policy?.value && one.status === 'found'),
  );
});

test('with a credential a new selector is written before the old one goes, and the customer’s records stay', async () => {
  const hostname = domain();
  const own = { host: hostname, type: 'MX', value: 'mail.example.org', priority: 10 };
  await publish(own, { host: hostname, type: 'TXT', value: 'v=spf1 -all' });
  const kept = await service.call('POST', `/applications/${applicationId}/credentials`, {
    provider: 'sandbox',
    credentials: { zone: hostname },
  });
  expect(kept).toMatchObject({ status: 201 });
  const id = await create(hostname, { selector: 'old', key: 'acme' });
  await until(async () => (await get(id)).state === 'live', 60_000).catch(async () =>
    console.log(JSON.stringify(await get(id), null, 1)),
  );
  expect(await service.call('PATCH', `/connections/${id}`, { variables: { selector: 'old' } })).toMatchObject({
    status: 400,
    body: { error: { details: [{ code: 'missing_variable', path: 'body.variables.key' }] } },
  });
  const patched = await service.call('PATCH', `/connections/${id}`, { variables: { selector: 'new', key: 'acme' } });
  expect(patched).toMatchObject({ status: 200, body: { state: 'live', variables: { selector: 'new' } } });
  const label = hostname.split('.')[0] ?? '';
  const hosts = ['old', 'new'].flatMap((selector) => [1, 2, 3].map((n) => `${selector}${n}._domainkey.${hostname}`));
  const names = async () => {
    const { data } = (
      await service.call('PUT', '/sandbox/records', {
        records: [],
        remove: [hostname, `_dmarc.${hostname}`, ...hosts].map((host) => ({ host, type: 'CAA' })),
      })
    ).body as { data: { host: string; type: string }[] };
    return data.map(({ host, type }) => `${type} ${host.split('.')[0] ?? ''}`).sort();
  };
  await until(async () => (await names()).includes('CNAME new1') && !(await names()).includes('CNAME old1'));
  expect(await names()).toEqual(
    ['CNAME new1', 'CNAME new2', 'CNAME new3', `MX ${label}`, `TXT ${label}`, 'TXT _dmarc'].sort(),
  );
  expect((await get(id)).timeline.map(({ to }) => to)).not.toContain('drifted');
});
