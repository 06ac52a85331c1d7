import { InFlight } from '../../src/webhooks/in-flight.ts';
import { together } from '../../src/webhooks/together.ts';

test('requests that arrive during a batch share the next batch, and one failure does not affect other callers', async () => {
  const groups: (readonly number[])[] = [];
  const ask = together<number>(async (items) => {
    groups.push(items);
    await Promise.resolve();
    if (items.includes(3)) throw new Error('three');
  });
  const ends = await Promise.allSettled([1, 2, 3, 4].map(ask));
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(groups).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
  await ask(5);
  expect(groups.at(-1)).toEqual([5]);
});

test('slots at an endpoint are granted in order, and a request is refused if no slot is released in time', async () => {
  const inFlight = new InFlight(1, { stillMs: 50, allMs: 60_000 });
  const end = await inFlight.take('a');
  const [second, third] = [inFlight.take('a'), inFlight.take('a')];
  expect(await inFlight.take('b')).not.toBeNull();
  end!();
  expect(await second).not.toBeNull();
  expect(await third).toBeNull(); // the second never releases its slot
  (await second)!();
  expect(await inFlight.take('a')).not.toBeNull();
});
