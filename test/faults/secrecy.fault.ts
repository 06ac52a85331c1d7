import { send } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newName, inLab, type FaultLab } from './fault-lab.ts';
import { secretsIn } from './secrets.ts';
import { connectionWorkflowId } from '../../workflows/messages.ts';

const PROVIDER_SECRET = 'v1.0-provider-secret-that-nobody-may-print';

/** Uses every secret, correctly and incorrectly, and adds each to `lab.secrets`. */
async function useSecrets(lab: FaultLab): Promise<string> {
  const user = lab.user();
  const { application_id } = lab.tenant.test;
  const keep = (value: unknown) => lab.secrets.add(String(value));
  keep(PROVIDER_SECRET);
  const key = await user.call('POST', `/applications/${application_id}/keys`, { name: 'second' });
  keep(key.body['secret']);
  const token = await user.call('POST', '/tokens', { application_id });
  keep(token.body['auth_token']);
  const endpoints = await user.call('GET', '/webhook-endpoints');
  const [endpoint] = endpoints.body['data'] as { id: string }[];
  const rotated = await user.call('POST', `/webhook-endpoints/${endpoint?.id}:rotate-secret`, {});
  keep(rotated.body['signing_secret']);
  const refused = await user.call('POST', `/applications/${application_id}/credentials`, {
    provider: 'cloudflare',
    credentials: { api_token: PROVIDER_SECRET },
  });
  expect(refused.status).not.toBe(500);
  await user.call('POST', `/applications/${application_id}/credentials`, { provider: 'sandbox', credentials: { zone: 'kept.test' } }); // prettier-ignore
  const name = newName('kept');
  await user.connect(name);
  await lab.untilLive([name]);
  await until(() => lab.receiver.received.length >= 4);
  const url = `http://127.0.0.1:${lab.apis[0]!.process.port}/v1/connections`;
  for (const credential of lab.secrets)
    await send('POST', url, { credential, body: `{"application_id": "${credential}", "hostname": ` });
  return name;
}

test('row 45: logs, metrics, errors and histories contain no secret, and public answers name no tenant', async () => {
  await inLab({ row: 45, env: { LOG_LEVEL: 'trace', PROVIDER_CLOUDFLARE_URL: 'http://127.0.0.1:9' } }, async (lab) => {
    const name = await useSecrets(lab);
    await lab.servers.killPostgres(); // this causes many errors, none of which may contain its address
    const [api] = lab.apis;
    await until(async () => (await send('GET', `http://127.0.0.1:${api!.process.port}/healthz`)).status === 503);
    await lab
      .user()
      .call('GET', '/connections')
      .catch(() => undefined);
    await lab.servers.startPostgres();
    await until(async () => (await lab.user().call('GET', '/connections')).status === 200);

    const open: string[] = [];
    for (const { process } of [...lab.apis, ...lab.workers])
      for (const path of [
        '/metrics',
        '/healthz',
        `/internal/ask?domain=${name}`,
        '/internal/ask?domain=nobody.example.com',
      ])
        open.push(await (await fetch(`http://127.0.0.1:${process.port}${path}`)).text());
    const [row] = await lab.query<{ id: string; hostname: string }>('SELECT id, hostname FROM connections WHERE hostname = $1', [name]); // prettier-ignore
    const history = await lab.servers.temporalClient.workflow.getHandle(connectionWorkflowId(row!)).fetchHistory();
    const payloads = JSON.stringify(history, (_key, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString() : value,
    );
    const printed = lab.everythingPrinted();
    const { tenant_id, test, live } = lab.tenant;
    const tenantIds = [tenant_id, test.application_id, live.application_id].filter((id) =>
      open.join('\n').includes(id),
    );
    expect(secretsIn([...open, payloads].join('\n'), lab.secrets)).toEqual([]);
    expect(secretsIn(printed, lab.secrets)).toEqual([]);
    expect(tenantIds).toEqual([]);
    expect(printed.length).toBeGreaterThan(1_000); // otherwise nothing was searched
    return `${lab.secrets.size} secrets searched for in ${Math.round(printed.length / 1_024)} kB of logs, ${open.length} open answers and a history: 0 hits`;
  });
}, 240_000);

test('the search finds a secret that is present', () => {
  expect(secretsIn('{"url":"postgres://svc:word@127.0.0.1/service"} sk_live_' + 'a'.repeat(49), ['word'])).toHaveLength(
    3,
  );
});
