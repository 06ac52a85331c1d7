import { StepSemaphore, type Party } from '../../src/net/step-semaphore.ts';

const PLACES = 8;
const SHARE = 2;
const party = (tenant_id: string, environment: Party['environment'] = 'live'): Party => ({ tenant_id, environment });
const never = new AbortController().signal;

/** Steps that begin when it is their turn and end when the test ends them. */
function steps(turns: StepSemaphore) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (of: Party, name = of.tenant_id, signal = never) => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    ends.set(name, () => resolve(undefined));
    return turns.run(of, signal, () => {
      begun.push(name);
      return promise;
    });
  };
  const flood = (of: Party, count: number) =>
    Array.from({ length: count }, (_, n) => begin(of, `${of.tenant_id} ${of.environment} ${n}`));
  const end = async (name: string) => {
    ends.get(name)?.();
    await jest.advanceTimersByTimeAsync(0);
  };
  return { begun, begin, flood, end };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});
const settled = () => jest.advanceTimersByTimeAsync(0);

test('a tenant alone takes every place, and its other steps wait', async () => {
  const { begun, flood } = steps(new StepSemaphore());
  void flood(party('a'), PLACES + 1);
  await settled();

  expect(begun).toHaveLength(PLACES);
});

test('a tenant that comes later gets the next free place, and the flood keeps its share only', async () => {
  const { begun, begin, flood, end } = steps(new StepSemaphore());
  void flood(party('flood', 'test'), 100);
  void begin(party('small'));
  for (let n = 0; n < PLACES; n++) await end(`flood test ${n}`);

  expect(begun.slice(PLACES)[0]).toBe('small');
  expect(begun.slice(PLACES + 1)).toHaveLength(SHARE);
});

test('a party that was noted elsewhere leaves a tenant its share only, until it has had no work for a while', async () => {
  const turns = new StepSemaphore();
  const { begun, flood } = steps(turns);
  turns.note(party('reader'));
  void flood(party('flood'), 100);
  await settled();
  expect(begun).toHaveLength(SHARE);

  // Each step leaves its place after half a second.
  await jest.advanceTimersByTimeAsync(11_000);
  expect(begun.length).toBeGreaterThanOrEqual(SHARE * 19 + PLACES);
});

test('live connections of a tenant go before its test connections', async () => {
  const { begun, begin, flood, end } = steps(new StepSemaphore());
  void flood(party('a', 'test'), 50);
  void begin(party('a', 'live'), 'live');
  await end('a test 0');

  expect(begun.at(-1)).toBe('live');
});

test('a step that lasts long leaves its place to others, once', async () => {
  const { begun, flood, end } = steps(new StepSemaphore());
  void flood(party('a'), 3 * PLACES);
  await jest.advanceTimersByTimeAsync(500);
  expect(begun).toHaveLength(2 * PLACES);

  for (let n = 0; n < PLACES; n++) await end(`a live ${n}`);
  expect(begun).toHaveLength(2 * PLACES);
});

test('a step that is cancelled while it waits never begins, and a failed one leaves its place', async () => {
  const turns = new StepSemaphore();
  const { begun, begin, flood, end } = steps(turns);
  void flood(party('a'), PLACES);
  const controller = new AbortController();
  const waiting = begin(party('b'), 'cancelled', controller.signal);
  controller.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
  await end('a live 0');
  expect(begun).not.toContain('cancelled');

  await expect(turns.run(party('b'), never, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await expect(turns.run(party('b'), never, () => Promise.resolve('after'))).resolves.toBe('after');
});

test('a party is backlogged while several of its steps wait', async () => {
  const turns = new StepSemaphore();
  const { flood, end } = steps(turns);
  void flood(party('a'), PLACES + 3);
  expect(turns.backlogged).toEqual([]);

  void flood(party('a'), 1);
  expect(turns.backlogged).toEqual([party('a')]);
  await end('a live 1');
  expect(turns.backlogged).toEqual([]);
});
