import fc from 'fast-check';
import { PROVED } from '../../src/domain/connection/state-sets.ts';
import { move, MOVES, STATES, type State, type Trigger } from '../../src/domain/connection/connection.ts';

const TRIGGERS = [...new Set(STATES.flatMap((state) => Object.keys(MOVES[state])))] as Trigger[];
const anyState = fc.constantFrom(...STATES);
const anyTrigger = fc.constantFrom(...TRIGGERS, 'archive' as const, 'toString' as Trigger, '__proto__' as Trigger);

describe('the state table', () => {
  test('allows no move outside its rows', () => {
    fc.assert(
      fc.property(anyState, anyTrigger, (state, trigger) => {
        const rows: Record<string, State> = MOVES[state];
        const expected =
          trigger === 'archive'
            ? state === 'archived'
              ? undefined
              : 'archived'
            : Object.hasOwn(rows, trigger)
              ? rows[trigger]
              : undefined;
        return move(state, trigger) === expected;
      }),
    );
  });

  test('reaches every state from created', () => {
    const reached = new Set<State>(['created']);
    for (let before = 0; before !== reached.size;) {
      before = reached.size;
      for (const state of reached)
        for (const trigger of [...TRIGGERS, 'archive' as const]) reached.add(move(state, trigger) ?? state);
    }
    expect([...reached].sort()).toEqual([...STATES].sort());
  });

  test('allows no move out of archived, and a move into archived from every other state', () => {
    for (const trigger of [...TRIGGERS, 'archive' as const]) expect(move('archived', trigger)).toBeUndefined();
    for (const state of STATES) if (state !== 'archived') expect(move(state, 'archive')).toBe('archived');
  });

  test('takes the claim only when the challenge is seen, and releases it only by failing or archiving', () => {
    for (const state of STATES) {
      for (const trigger of TRIGGERS) {
        const to = move(state, trigger);
        if (to === undefined) continue;
        if (!PROVED.has(state) && PROVED.has(to)) expect(trigger).toBe('challengeSeen');
        if (PROVED.has(state) && !PROVED.has(to)) expect(to).toBe('failed');
      }
    }
  });

  test('holds the claim exactly in the states that require it, after any sequence of moves', () => {
    fc.assert(
      fc.property(fc.array(anyTrigger, { maxLength: 40 }), (walk) => {
        let state: State = 'created';
        let proved = false;
        for (const trigger of walk) {
          const to = move(state, trigger);
          if (to === undefined) continue;
          proved = to === 'verified' || (proved && PROVED.has(to));
          state = to;
        }
        return proved === PROVED.has(state);
      }),
    );
  });
});
