import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Agent, request } from 'undici';
import { freePort } from '../../src/embedded/ports.ts';
import { guardedConnector, isPublicAddress, resolveForDial } from '../../src/net/safe-dial.ts';

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

async function get(host: string, allowPrivate: boolean): Promise<string> {
  const agent = new Agent({ connect: guardedConnector({ allowPrivate }) });
  try {
    const { body } = await request(`http://${host}:${port}/`, { dispatcher: agent });
    return await body.text();
  } finally {
    await agent.destroy();
  }
}

test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '[::1]', '2130706433', '0x7f.1', '0'])(
  '%s is refused before it is dialled',
  async (host) => {
    await expect(get(host, false)).rejects.toMatchObject({ code: 'blocked_address' });
    await expect(resolveForDial('localhost', { allowPrivate: false })).rejects.toThrow(
      'localhost does not lead to a public address.',
    );
  },
);

test('in a laboratory a private address is reached, by name and by number', async () => {
  expect(await get('127.0.0.1', true)).toBe('reached');
  expect(await get('localhost', true)).toBe('reached');
});

test.each([
  ['8.8.8.8', true],
  ['2606:4700::1111', true],
  ['::ffff:8.8.8.8', true],
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['169.254.169.254', false],
  ['192.0.2.1', false],
  ['0.0.0.0', false],
  ['255.255.255.255', false],
  ['fd00::1', false],
  ['fe80::1', false],
  ['::ffff:10.0.0.1', false],
  ['64:ff9b::a00:1', false],
  ['2002:a00:1::', false],
  ['not an address', false],
])('%s is public: %s', (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected);
});

test('a name without an address says so', async () => {
  await expect(resolveForDial('does-not-exist.invalid', { allowPrivate: false })).rejects.toMatchObject({
    code: 'dns_error',
  });
});

test('names whose servers keep silent hold up nobody else, however many they are', async () => {
  const silent = createSocket('udp4');
  let asked = 0;
  silent.on('message', () => asked++);
  silent.bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const policy = { allowPrivate: true, nameServers: [`127.0.0.1:${silent.address().port}`] };
  const began = performance.now();
  const hopeless = Array.from({ length: 20 }, (_, i) => resolveForDial(`silent${i}.example.com`, policy));
  const ended = Promise.allSettled(hopeless);
  expect(await resolveForDial('localhost', policy)).toBe('127.0.0.1');
  expect(performance.now() - began).toBeLessThan(1_500);
  for (const { status } of await ended) expect(status).toBe('rejected');
  await expect(hopeless[0]).rejects.toMatchObject({ code: 'dns_error' });
  expect(asked).toBeGreaterThanOrEqual(40);
  expect(performance.now() - began).toBeLessThan(5_000);
  silent.close();
});
