import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTurns } from '../../src/api/request-turns.ts';

/** Begins requests whose handling takes this long each, by a clock that only they advance. */
function begun(costMs: number) {
  const order: string[] = [];
  let now = 0;
  const handle = inTurns(
    ({ headers }) => {
      order.push(String(headers.authorization));
      now += costMs;
    },
    () => now,
  );
  const arrive = (authorization: string, times = 1) => {
    const request = { headers: { authorization }, socket: {} } as IncomingMessage;
    for (let n = 0; n < times; n++) handle(request, {} as ServerResponse);
  };
  return { order, arrive };
}

test('a request begins immediately while few arrive', () => {
  const { order, arrive } = begun(0.5);
  arrive('few', 3);
  expect(order).toHaveLength(3);
});

test('the first request of a caller does not wait behind a thousand that arrived before', async () => {
  const { order, arrive } = begun(1);
  arrive('flood', 1_000);
  arrive('other');
  expect(order).toHaveLength(2); // the rest lets other work of the process run first
  await nextTurn();
  expect(order.slice(2)).toEqual(['flood', 'other']);
  await nextTurn();
  expect(order.slice(4)).toEqual(['flood']); // other work runs between two requests of one caller
});

test('every request begins, in the order of its caller, and the process pauses between slices', async () => {
  const { order, arrive } = begun(2);
  arrive('one', 10);
  arrive('two', 10);
  let turns = 0;
  while (order.length < 20 && turns < 100) {
    await nextTurn();
    turns++;
  }
  expect(order.filter((caller) => caller === 'two')).toHaveLength(10);
  expect(turns).toBeGreaterThan(4);
  arrive('three');
  await nextTurn();
  expect(order.at(-1)).toBe('three');
});
