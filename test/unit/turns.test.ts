import { createTurns } from '../../src/dns/turns.ts';
import { NoTurn } from '../../src/domain/observation/check.ts';

const refusal = async (turn: Promise<unknown>): Promise<NoTurn> => {
  const outcome = await turn.catch((error: unknown) => error);
  if (outcome instanceof NoTurn) return outcome;
  throw new Error('There was a turn.');
};

test('each tenant has its own limited number of slots', async () => {
  const turns = createTurns(2);
  const first = await turns.take('a');
  await turns.take('a');
  const waiting = turns.take('a');
  const alsoWaiting = turns.take('a');
  expect((await refusal(turns.take('a'))).retryAfterMs).toBeGreaterThan(0);
  await turns.take('b');
  first();
  (await waiting)();
  (await alsoWaiting)();
  await turns.take('a');
});

test('refused callers get retry times spread over the time that earlier callers need', async () => {
  let now = 0;
  const turns = createTurns(2, () => now);
  const ends = [await turns.take('a'), await turns.take('a')];
  now = 10_000;
  ends.forEach((end) => end());
  const again = [await turns.take('a'), await turns.take('a')];
  const waitingTooLong = [turns.take('a'), turns.take('a')];
  const refusals = await Promise.all(
    [turns.take('a'), turns.take('a'), turns.take('a'), ...waitingTooLong].map(refusal),
  );
  const waits = refusals.map(({ retryAfterMs }) => retryAfterMs);
  expect(new Set(waits).size).toBe(5);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000);
  again.forEach((end) => end());
  await turns.take('a');
});
