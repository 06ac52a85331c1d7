import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { lookup } from 'node:dns/promises';
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { Agent, request } from 'undici';
import { freePort } from '../../src/embedded/ports.ts';
import { canonicalAddress, EVERY_NETWORK, type Networks } from '../../src/net/address.ts';
import { guardedConnector, resolveForDial, type DialPolicy } from '../../src/net/safe-dial.ts';
import { startLyingServer, type LyingServer } from '../support/doubles/lying-server.ts';

const server = createServer((_, answer) => answer.end('reached'));
let port = 0;
beforeAll(async () => {
  port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function get(host: string, allowed: Networks, own?: DialPolicy['own']): Promise<string> {
  const agent = new Agent({ connect: guardedConnector({ allowed, ...(own === undefined ? {} : { own }) }) });
  try {
    const { body } = await request(`http://${host}:${port}/`, { dispatcher: agent });
    return await body.text();
  } finally {
    await agent.destroy();
  }
}

const SPELLINGS = ['127.0.0.1', 'localhost', 'x.localhost', '[::ffff:127.0.0.1]', '[::1]', '[::127.0.0.1]', '2130706433', '0x7f.1', '0177.0.0.1', '0', '168.63.129.16']; // prettier-ignore
test.each(SPELLINGS)('%s is refused before it is dialled', async (host) => {
  await expect(get(host, [])).rejects.toMatchObject({ code: 'blocked_address' });
});

test('in a lab a private address can be reached, by hostname and by address', async () => {
  expect(await get('127.0.0.1', EVERY_NETWORK)).toBe('reached');
  expect(await get('localhost', EVERY_NETWORK)).toBe('reached');
});

test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433'])(
  'one of our own listeners is refused as %s, in any network',
  async (host) => {
    const own = { isOwn: (address: string, at: number) => canonicalAddress(address) === '127.0.0.1' && at === port };
    await expect(get(host, EVERY_NETWORK, own)).rejects.toMatchObject({ code: 'blocked_address' });
  },
);

describe('a hostname', () => {
  const ADDRESSES: Record<string, string | null> = {
    'internal.corp.com': '10.0.0.5',
    'metadata.corp.com': '169.254.169.254',
    'mixed.corp.com': '93.184.215.14',
    'ours.corp.com': '93.184.215.15',
    'public.corp.com': '93.184.215.14',
  };
  let dns: LyingServer;
  let policy: DialPolicy;
  beforeAll(async () => {
    dns = await startLyingServer('127.0.0.1', await freePort());
    dns.answerWith(({ type, name }) => {
      const data = ADDRESSES[name];
      const answers =
        data === undefined || data === null || type !== 'A' ? [] : [{ type: 'A' as const, name, ttl: 0, data }];
      const also =
        name === 'mixed.corp.com' && type === 'AAAA' ? [{ type: 'AAAA' as const, name, ttl: 0, data: 'fd00::1' }] : [];
      return { answers: [...answers, ...also], rcode: data === undefined ? 3 : 0 };
    });
    const own = { isOwn: (address: string, at: number) => address === '93.184.215.15' && at === 443 };
    policy = { allowed: [], own, nameServers: [`${dns.address}:${dns.port}`] };
  });
  afterAll(() => dns.stop());

  const refusalOf = async (host: string) => {
    const error: unknown = await resolveForDial(host, 443, policy).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const { name, message, code } = error as { name: string; message: string; code: string };
    return { name, code, message: message.replaceAll(host, 'HOST') };
  };

  test('that does not exist and one with a refused address get the same code and the same bytes', async () => {
    const missing = await refusalOf('missing.corp.com');
    expect(missing).toEqual({
      name: 'DialError',
      code: 'blocked_address',
      message:
        'HOST has no address that we can connect to. Use a hostname or an address that is public and not one of this service.',
    });
    for (const host of [
      'internal.corp.com',
      'metadata.corp.com',
      'mixed.corp.com',
      'ours.corp.com',
      '10.0.0.5',
      'postgres',
    ])
      expect([host, await refusalOf(host)]).toEqual([host, missing]);
  });

  test('of our own listener is refused at its port only', async () => {
    expect(await resolveForDial('ours.corp.com', 8443, policy)).toBe('93.184.215.15');
  });

  test('with a public address is dialled at that address', async () => {
    expect(await resolveForDial('public.corp.com', 443, policy)).toBe('93.184.215.14');
  });

  test('from the system’s hosts file is resolved only on a developer’s machine', async () => {
    const hosts = { ...policy, allowed: EVERY_NETWORK };
    await expect(resolveForDial(hostname(), 80, hosts)).rejects.toMatchObject({ code: 'blocked_address' });
    const known = await lookup(hostname(), { all: true });
    const found = await resolveForDial(hostname(), 80, { ...hosts, asksSystem: true });
    expect(known.map(({ address }) => address)).toContain(found);
  });
});

test('any number of hostnames with silent name servers does not delay others', async () => {
  const silent = createSocket('udp4');
  let asked = 0;
  silent.on('message', () => asked++);
  silent.bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const policy = { allowed: EVERY_NETWORK, asksSystem: true, nameServers: [`127.0.0.1:${silent.address().port}`] };
  const hopeless = Array.from({ length: 20 }, (_, i) => resolveForDial(`silent${i}.example.com`, 80, policy));
  let isOver = false;
  const ended = Promise.allSettled(hopeless).finally(() => (isOver = true));
  expect(await resolveForDial('localhost', 80, policy)).toBe('127.0.0.1');
  expect(isOver).toBe(false);
  for (const { status } of await ended) expect(status).toBe('rejected');
  await expect(hopeless[0]).rejects.toMatchObject({ code: 'dns_error' });
  expect(asked).toBeGreaterThanOrEqual(40);
  silent.close();
});
