import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { Account } from '../../src/providers/contract.ts';
import { powerdns } from '../../src/providers/powerdns/adapter.ts';
import { rfc2136 } from '../../src/providers/rfc2136/adapter.ts';
import { providerHttp, type ProviderHttp } from '../../src/providers/toolkit/http.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { addresses, startLyingServer, type LyingServer } from '../support/doubles/lying-server.ts';
import { aloneWith } from './processes.ts';

const ADDRESSES: Record<string, string> = { 'inside.corp.com': '10.0.0.5', 'here.corp.com': '127.0.0.1' };

let dns: LyingServer;
let listener: Server;
let http: ProviderHttp;
let connections = 0;
beforeAll(async () => {
  dns = await startLyingServer('127.0.0.1', await freePort());
  dns.answerWith(addresses(ADDRESSES));
  listener = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await once(listener.listen(await freePort(), '127.0.0.1'), 'listening');
  http = providerHttp({ guards: guards() });
});
afterAll(async () => {
  await http.close();
  listener.close();
  await dns.stop();
});

const port = () => (listener.address() as AddressInfo).port;
const guards = () => ({
  nameServers: [`${dns.address}:${dns.port}`],
  own: { isOwn: (address: string, at: number) => address === '127.0.0.1' && at === port() },
});
const context = (allowPrivate: boolean) => ({ ...aloneWith(http), guards: guards(), allowPrivate });

const OPEN: Record<string, (host: string, allowPrivate: boolean) => Account> = {
  powerdns: (host, allowPrivate) =>
    powerdns.open({ api_url: `https://${host}:${port()}`, api_key: 'k' }, context(allowPrivate)),
  rfc2136: (host, allowPrivate) =>
    rfc2136.open(
      { server: host, port: String(port()), zone: 'example.com', key_name: 'k', secret: 'c2VjcmV0' },
      context(allowPrivate),
    ),
};

const refusalOf = async (account: Account, host: string) => {
  const error: unknown = await account.verify().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { code, message } = error as { code: string; message: string };
  return { code, message: message.replaceAll(host, 'HOST') };
};

describe.each(Object.entries(OPEN))('a tenant’s %s server', (_slug, open) => {
  test('that does not exist and one inside our network are refused with the same code and bytes, by the configured name servers', async () => {
    const before = dns.asked.length;
    const missing = await refusalOf(open('missing.corp.com', false), 'missing.corp.com');
    expect(missing).toEqual({ code: 'validation', message: expect.stringContaining('HOST has no address') as string });
    for (const host of ['inside.corp.com', 'here.corp.com'])
      expect(await refusalOf(open(host, false), host)).toEqual(missing);
    expect(new Set(dns.asked.slice(before).map(({ name }) => name))).toEqual(
      new Set(['missing.corp.com', 'inside.corp.com', 'here.corp.com']),
    );
  });

  test.each(['127.0.0.1', 'localhost', 'here.corp.com'])(
    'must not be a listener of ours as %s, even in a lab',
    async (host) => {
      expect(await refusalOf(open(host, true), host)).toMatchObject({ code: 'validation' });
      expect(connections).toBe(0);
    },
  );
});
