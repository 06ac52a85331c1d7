import { createSilentServers } from '../../src/dns/silent-servers.ts';

const SERVER = '192.0.2.53';

function startClock() {
  const clock = { now: 0 };
  return { clock, servers: createSilentServers(() => clock.now) };
}

type Servers = ReturnType<typeof createSilentServers>;
const ask = (servers: Servers, zone: string, answered: boolean): boolean => {
  const end = servers.begin(SERVER, zone);
  end?.(answered);
  return end !== undefined;
};
const silence = (servers: Servers) => {
  for (const zone of ['a.test', 'b.test', 'c.test']) ask(servers, zone, false);
};

test('after three unanswered queries a server gets only a few queries at a time', () => {
  const { servers } = startClock();
  silence(servers);
  const begun = Array.from({ length: 300 }, (_, i) => servers.begin(SERVER, `zone${i}.test`));
  expect(begun.filter((end) => end !== undefined)).toHaveLength(4);
  expect(servers.begin('192.0.2.54', 'zone0.test')).toBeDefined();
});

test('one answer ends the silence immediately', () => {
  const { servers } = startClock();
  silence(servers);
  ask(servers, 'd.test', true);
  expect(Array.from({ length: 20 }, (_, i) => servers.begin(SERVER, `zone${i}.test`)).every(Boolean)).toBe(true);
});

test('a zone that got no answer is retried after growing pauses, up to a limit', () => {
  const { clock, servers } = startClock();
  silence(servers);
  const pauses: number[] = [];
  for (let last = 0; pauses.length < 6; clock.now += 1_000) {
    if (!ask(servers, 'c.test', false)) continue;
    pauses.push(clock.now - last);
    last = clock.now;
  }
  expect(pauses).toEqual([20_000, 40_000, 80_000, 160_000, 160_000, 160_000]);
});

test('unanswered queries for other zones do not silence a server for a zone that it answers', () => {
  const { clock, servers } = startClock();
  ask(servers, 'customer.test', true);
  silence(servers);
  clock.now = 60_000;
  expect(servers.begin(SERVER, 'customer.test')).toBeDefined();
});
