import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { once } from 'node:events';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { Service } from '../support/fixtures/service.ts';
import { startTestAuthority, type TestAuthority } from '../support/certificate-authority.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

let service: Service;
let authority: TestAuthority;
beforeAll(async () => {
  authority = await startTestAuthority();
  service = await Service.start(await tempFolder(), { UPLOAD_CA_FILE: authority.rootFile });
});
afterAll(() => service.stop());

/** Makes a handshake at the edge, and returns issuer and serial number. */
async function handshake(hostname: string): Promise<{ issuer: string; serial: string }> {
  const { edge_https_url } = await service.demo();
  const { hostname: host, port } = new URL(edge_https_url!);
  const socket = connect({ host, port: Number(port), servername: hostname, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { issuer, serialNumber: serial } = socket.getPeerCertificate();
  socket.destroy();
  return { issuer: String(issuer.CN), serial };
}

/** Whether the edge serves the uploaded certificate. A handshake that meets one of the two reloads may fail. */
const isOurs = (hostname: string): Promise<boolean> =>
  handshake(hostname).then(
    ({ issuer }) => issuer === 'Test authority',
    () => false,
  );

const liveName = async (): Promise<{ id: string; hostname: string }> => {
  const hostname = `${crypto.randomUUID().slice(0, 8)}.auto.test`;
  const id = await service.connect(hostname);
  await service.untilLive(id);
  return { id, hostname };
};

const put = async (id: string, names: string[]) => {
  const { chain: certificate_chain, key: private_key } = authority.issue(names);
  return service.call('PUT', `/connections/${id}/certificate`, { certificate_chain, private_key });
};

test('an uploaded certificate replaces the one that Caddy holds in memory, and its removal brings that source back', async () => {
  const { id, hostname } = await liveName();
  expect((await handshake(hostname)).issuer).not.toBe('Test authority');

  expect((await put(id, [hostname])).status).toBe(200);
  await until(() => isOurs(hostname), 20_000);
  expect(await service.call('GET', `/connections/${id}`)).toMatchObject({
    body: { certificate: { source: 'uploaded', names: [hostname], status: 'issued' } },
  });

  const first = await handshake(hostname);
  expect((await put(id, [hostname])).status).toBe(200);
  expect((await handshake(hostname)).serial).not.toBe(first.serial);

  expect((await service.call('DELETE', `/connections/${id}/certificate`)).status).toBe(204);
  expect((await handshake(hostname)).issuer).not.toBe('Test authority');
});

test('the secret path, the keys and the token appear in no log, no configuration and nowhere in the clear on disk', async () => {
  const { id, hostname } = await liveName();
  const { chain, key } = authority.issue([hostname]);
  await service.call('PUT', `/connections/${id}/certificate`, { certificate_chain: chain, private_key: key });
  await until(() => isOurs(hostname), 20_000);

  const edge = join(service.dataDir, 'edge');
  const segment = readFileSync(join(edge, 'certificate-path'), 'utf8');
  expect(statSync(join(edge, 'certificate-path')).mode & 0o777).toBe(0o600);
  const files = readdirSync(service.dataDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('postgres') && statSync(join(service.dataDir, name)).isFile())
    .filter((name) => name !== join('edge', 'certificate-path'));
  const secrets = [segment, key.split('\n')[1]!];
  for (const name of files) {
    const text = readFileSync(join(service.dataDir, name), 'latin1');
    for (const secret of secrets) expect({ name, found: text.includes(secret) }).toEqual({ name, found: false });
  }
  expect(service.output).not.toContain(segment);
  expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(segment);
});
