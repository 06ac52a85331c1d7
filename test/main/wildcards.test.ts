import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { startTestAuthority, type TestAuthority } from '../support/certificate-authority.ts';
import { Service } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** Wildcards in the whole service, with a real Caddy. Their DNS is the sandbox's. */
let service: Service;
let authority: TestAuthority;
beforeAll(async () => {
  authority = await startTestAuthority();
  service = await Service.start(await tempFolder(), { UPLOAD_CA_FILE: authority.rootFile });
});
afterAll(() => service.stop());

/** Makes a handshake at the edge, and returns the names in the certificate; null if the edge refuses it. */
async function handshake(hostname: string): Promise<string | null> {
  const { edge_https_url } = await service.demo();
  const { hostname: host, port } = new URL(edge_https_url!);
  const socket = connect({ host, port: Number(port), servername: hostname, rejectUnauthorized: false });
  const names = once(socket, 'secureConnect').then(
    () => socket.getPeerCertificate().subjectaltname ?? '',
    () => null,
  );
  return names.finally(() => socket.destroy());
}

const detail = async (id: string) => (await service.call('GET', `/connections/${id}`)).body;

test('a wildcard goes live, serves its labels with its certificate, and lends a label to an exact connection', async () => {
  const domain = `n${randomUUID().slice(0, 8)}.auto.test`;
  const id = await service.connect(`*.${domain}`);
  const live = await service.untilLive(id);
  expect(live).toMatchObject({
    hostname: `*.${domain}`,
    kind: 'subdomain',
    error_code: null,
    observed_records: [{ host: `*.${domain}`, propagated: true }],
  });
  expect(await handshake(`shop.${domain}`)).toBeNull();
  const { chain: certificate_chain, key: private_key } = authority.issue([`*.${domain}`]);
  const put = await service.call('PUT', `/connections/${id}/certificate`, { certificate_chain, private_key });
  expect(put.status).toBe(200);
  await until(async () => (await handshake(`shop.${domain}`)) === `DNS:*.${domain}`, 20_000);
  expect(await handshake(`${randomUUID()}.${domain}`)).toBe(`DNS:*.${domain}`);
  expect([await handshake(domain), await handshake(`a.b.${domain}`)]).toEqual([null, null]);

  const exact = await service.connect(`shop.${domain}`);
  await service.untilLive(exact);
  expect(await handshake(`shop.${domain}`)).toBe(`DNS:shop.${domain}`);
  expect(await handshake(`other.${domain}`)).toBe(`DNS:*.${domain}`);
  expect((await service.call('DELETE', `/connections/${exact}`)).status).toBe(200);
  expect(await detail(id)).toMatchObject({ state: 'live' });
});

test('a credential writes the wildcard’s record and its challenge, and archiving removes both', async () => {
  const { test: application } = await service.demo();
  const zone = `n${randomUUID().slice(0, 8)}.test`;
  const credential = { provider: 'sandbox', credentials: { zone } };
  const added = await service.call('POST', `/applications/${application.application_id}/credentials`, credential);
  expect(added.status).toBe(201);
  const id = await service.connect(`*.${zone}`);
  expect(await service.untilLive(id)).toMatchObject({
    setup_type: 'automatic',
    records_to_add: [
      { host: `_service-challenge.${zone}`, status: 'found' },
      { host: `*.${zone}`, type: 'CNAME', status: 'found' },
    ],
  });
  await service.call('DELETE', `/connections/${id}`);
  await until(async () => (await detail(id))['cleanup'] === 'done', 30_000);
});
