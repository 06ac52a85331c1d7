import { setTimeout as pause } from 'node:timers/promises';

interface Turns {
  underWay: number;
  waiting: (() => void)[];
  /** When an attempt ended, or the first of those under way began. */
  movedAt: number;
}

/**
 * Lets each endpoint have so many attempts under way in this process and no more, so that a slow receiver takes only its
 * own share. The others wait for their turn, in order, for as long as the receiver gets on with those before them; one
 * that gets none is told so, and comes back.
 */
export class InFlight {
  private readonly endpoints = new Map<string, Turns>();
  private readonly most: number;
  private readonly patience: { stillMs: number; allMs: number };

  /** Nobody waits longer than `stillMs` while nothing moves, nor longer than `allMs` at all. */
  constructor(most = 10, patience = { stillMs: 5_000, allMs: 10_000 }) {
    this.most = most;
    this.patience = patience;
  }

  /** Resolves to what ends the turn, or to null. */
  async take(endpointId: string): Promise<(() => void) | null> {
    const turns = this.endpoints.get(endpointId) ?? { underWay: 0, waiting: [], movedAt: performance.now() };
    this.endpoints.set(endpointId, turns);
    const end = () => {
      turns.movedAt = performance.now();
      const next = turns.waiting.shift();
      if (next)
        next(); // the turn is handed on
      else if (--turns.underWay === 0) this.endpoints.delete(endpointId);
    };
    if (turns.underWay < this.most) {
      turns.underWay++;
      return end;
    }
    return (await this.turnComes(turns)) ? end : null;
  }

  private async turnComes(turns: Turns): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<true>();
    const called = () => resolve(true);
    turns.waiting.push(called);
    const began = performance.now();
    for (;;) {
      const until = Math.min(turns.movedAt + this.patience.stillMs, began + this.patience.allMs);
      const left = until - performance.now();
      if (left <= 0) break;
      const over = new AbortController();
      const hasTurn = await Promise.race([promise, pause(left, false, over)]);
      over.abort();
      if (hasTurn) return true;
    }
    if (!turns.waiting.includes(called)) return true; // it came in the very moment
    turns.waiting = turns.waiting.filter((other) => other !== called);
    return false;
  }
}
