import { Semaphore, waitUpTo } from '../../src/net/semaphore.ts';

test('permits are granted in the order of arrival, and a new task does not overtake the queue', async () => {
  const semaphore = new Semaphore({ permits: 1 });
  expect(await semaphore.acquire(waitUpTo(0))).toBe('acquired');
  const order: string[] = [];
  const waiting = ['second', 'third'].map(async (name) => {
    expect(await semaphore.acquire(waitUpTo(60_000))).toBe('acquired');
    order.push(name);
    semaphore.release();
  });
  semaphore.release();
  expect(await semaphore.acquire(waitUpTo(0))).toBe('timed_out');
  await Promise.all(waiting);
  expect(order).toEqual(['second', 'third']);
  expect(semaphore.isIdle).toBe(true);
});

test('a task beyond the queue is refused without waiting', async () => {
  const semaphore = new Semaphore({ permits: 1, queue: 1 });
  await semaphore.acquire(waitUpTo(0));
  const waiting = semaphore.acquire(waitUpTo(60_000));
  expect(await semaphore.acquire(waitUpTo(60_000))).toBe('queue_full');
  semaphore.release();
  expect(await waiting).toBe('acquired');
});

test('a wait ends at its deadline or when its signal aborts, and leaves its permit to others', async () => {
  const semaphore = new Semaphore({ permits: 1 });
  await semaphore.acquire(waitUpTo(0));
  expect(await semaphore.acquire(waitUpTo(5))).toBe('timed_out');
  const controller = new AbortController();
  const aborted = semaphore.acquire(waitUpTo(60_000, controller.signal));
  controller.abort();
  expect(await aborted).toBe('timed_out');
  semaphore.release();
  expect(semaphore.isIdle).toBe(true);
});

test('a deadline that moves while a task waits keeps the task waiting', async () => {
  const semaphore = new Semaphore({ permits: 1 });
  await semaphore.acquire(waitUpTo(0));
  const times = [5, 60_000];
  const waiting = semaphore.acquire({ remainingMs: () => times.shift() ?? 0 });
  setTimeout(() => semaphore.release(), 30);
  expect(await waiting).toBe('acquired');
});
