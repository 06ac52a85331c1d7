import { networkInterfaces } from 'node:os';
import { ListenerTable, type ListenerExchange } from '../../src/net/own-listeners.ts';

const interfaces = Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address));
const LOCAL = ['127.0.0.1', '127.3.2.1', '::1', '0.0.0.0', '::', '::ffff:127.0.0.1', '64:ff9b::7f00:1', ...interfaces];

test.each(LOCAL)('a port of this machine is ours at %s, and another port is not', (address) => {
  const table = new ListenerTable([]);
  table.listensOn(8080);
  expect(table.isOwn(address, 8080)).toBe(true);
  expect(table.isOwn(address, 8081)).toBe(false);
});

test('an address of another machine is ours only if one of our processes published it', async () => {
  const published = ['192.0.2.7 9090', 'fd00::7 9090'];
  const table = new ListenerTable([], { swap: () => Promise.resolve(published), withdraw: () => Promise.resolve() });
  table.listensOn(8080);
  expect(table.isOwn('192.0.2.7', 9090)).toBe(false);
  await table.refresh();
  expect(table.isOwn('192.0.2.7', 9090)).toBe(true);
  expect(table.isOwn('::ffff:192.0.2.7', 9090)).toBe(true);
  expect(table.isOwn('64:ff9b::c000:207', 9090)).toBe(true);
  expect(table.isOwn('fd00:0:0::7', 9090)).toBe(true);
  expect(table.isOwn('192.0.2.7', 8080)).toBe(false);
});

test('a configured host is ours at the addresses it resolves to, and a site only where it is not public', async () => {
  const table = new ListenerTable([
    { host: 'localhost', port: 5432 },
    { host: '192.0.2.5', port: 7233 },
    { host: '93.184.215.14', port: 443, isSite: true },
    { host: '93.184.215.14', port: 9090 },
    { host: '10.0.0.5', port: 443, isSite: true },
  ]);
  await table.refresh();
  expect(table.isOwn('127.0.0.1', 5432)).toBe(true);
  expect(table.isOwn('0.0.0.0', 5432)).toBe(true);
  expect(table.isOwn('192.0.2.5', 7233)).toBe(true);
  expect(table.isOwn('192.0.2.5', 443)).toBe(false);
  expect(table.isOwn('93.184.215.14', 443)).toBe(false);
  expect(table.isOwn('93.184.215.14', 9090)).toBe(true);
  expect(table.isOwn('10.0.0.5', 443)).toBe(true);
});

test('a host that is entirely ours is refused on every port, and its neighbor is not', async () => {
  const table = new ListenerTable([{ host: '192.0.2.6', port: '*' }]);
  await table.refresh();
  for (const port of [80, 2019, 9090]) expect(table.isOwn('192.0.2.6', port)).toBe(true);
  expect(table.isOwn('::ffff:192.0.2.6', 443)).toBe(true);
  expect(table.isOwn('192.0.2.7', 80)).toBe(false);
});

test('every process learns every other process’s listeners, and keeps them while the exchange does not answer', async () => {
  const rows = new Map<string, readonly string[]>();
  let isAway = false;
  const exchangeOf = (id: string): ListenerExchange => ({
    swap(own) {
      if (isAway) return Promise.reject(new Error('away'));
      rows.set(id, own);
      return Promise.resolve([...rows].filter(([other]) => other !== id).flatMap(([, endpoints]) => endpoints));
    },
    withdraw: () => Promise.resolve(void rows.delete(id)),
  });
  const errors: unknown[] = [];
  const [api, agent] = [
    new ListenerTable([{ host: '192.0.2.5', port: 5432 }], exchangeOf('api')),
    new ListenerTable([], exchangeOf('agent'), (error) => errors.push(error)),
  ];
  api.listensOn(8080);
  await api.refresh();
  await agent.refresh();
  expect([agent.isOwn('192.0.2.5', 5432), agent.isOwn('127.0.0.1', 8080)]).toEqual([true, true]);
  isAway = true;
  await agent.refresh();
  expect([agent.isOwn('192.0.2.5', 5432), errors.length]).toEqual([true, 1]);
  isAway = false;
  await api.stop();
  await agent.refresh();
  expect(agent.isOwn('192.0.2.5', 5432)).toBe(false);
});
