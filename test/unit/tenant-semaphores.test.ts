import { createTenantSemaphores } from '../../src/dns/tenant-semaphores.ts';
import { TooManyChecks } from '../../src/domain/observation/check.ts';

const refusal = async (acquisition: Promise<unknown>): Promise<TooManyChecks> => {
  const outcome = await acquisition.catch((error: unknown) => error);
  if (outcome instanceof TooManyChecks) return outcome;
  throw new Error('The permit was acquired.');
};

test('each tenant has its own permits and no more than its limit', async () => {
  const semaphores = createTenantSemaphores(2);
  const releaseFirst = await semaphores.acquire('a');
  await semaphores.acquire('a');
  const waiting = semaphores.acquire('a');
  const alsoWaiting = semaphores.acquire('a');
  expect((await refusal(semaphores.acquire('a'))).retryAfterMs).toBeGreaterThan(0);
  await semaphores.acquire('b');
  releaseFirst();
  (await waiting)();
  (await alsoWaiting)();
  await semaphores.acquire('a');
});

test('refused checks get retry times that are spread over the time that the checks before them need', async () => {
  let now = 0;
  const semaphores = createTenantSemaphores(2, () => now);
  const releases = [await semaphores.acquire('a'), await semaphores.acquire('a')];
  now = 10_000;
  releases.forEach((release) => release());
  const again = [await semaphores.acquire('a'), await semaphores.acquire('a')];
  const timedOut = [semaphores.acquire('a'), semaphores.acquire('a')];
  const queueFull = [semaphores.acquire('a'), semaphores.acquire('a'), semaphores.acquire('a')];
  const refusals = await Promise.all([...queueFull, ...timedOut].map(refusal));
  const waits = refusals.map(({ retryAfterMs }) => retryAfterMs);
  expect(new Set(waits).size).toBe(5);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000);
  again.forEach((release) => release());
  await semaphores.acquire('a');
});
