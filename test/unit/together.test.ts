import { setTimeout as pause } from 'node:timers/promises';
import { EndpointSemaphores } from '../../src/webhooks/endpoint-semaphores.ts';
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

test('permits of an endpoint are granted in order, and a wait ends when no attempt finishes in time', async () => {
  const semaphores = new EndpointSemaphores(1, { stillMs: 50, allMs: 60_000 });
  const release = await semaphores.acquire('a');
  const [second, third] = [semaphores.acquire('a'), semaphores.acquire('a')];
  expect(await semaphores.acquire('b')).not.toBeNull();
  release!(true);
  expect(await second).not.toBeNull();
  expect(await third).toBeNull(); // the second never releases its slot
  (await second)!(true);
  expect(await semaphores.acquire('a')).not.toBeNull();
});

test('while a receiver hangs no attempt waits for it, and its first answer lets them wait again', async () => {
  const semaphores = new EndpointSemaphores(1, { stillMs: 50, allMs: 60_000 });
  const release = await semaphores.acquire('a');
  const second = semaphores.acquire('a');
  await pause(40);
  release!(false); // a timeout
  const hanging = await second;
  await pause(20);
  expect(await semaphores.acquire('a')).toBeNull();
  const third = semaphores.acquire('a');
  hanging!(true);
  expect(await third).toBeNull(); // it was refused before the answer
  const fourth = await semaphores.acquire('a');
  const fifth = semaphores.acquire('a');
  fourth!(true);
  expect(await fifth).not.toBeNull();
});
