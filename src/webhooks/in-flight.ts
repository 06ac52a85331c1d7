/**
 * Lets each endpoint have so many attempts under way in this process and no more, so that a slow receiver takes only its
 * own share. The others wait a moment for their turn, in order; one that gets none in time is told so, and comes back.
 */
export class InFlight {
  private readonly endpoints = new Map<string, { underWay: number; waiting: (() => void)[] }>();
  private readonly most: number;
  private readonly patienceMs: number;

  constructor(most = 10, patienceMs = 5_000) {
    this.most = most;
    this.patienceMs = patienceMs;
  }

  /** Resolves to what ends the turn, or to null. */
  async take(endpointId: string): Promise<(() => void) | null> {
    const endpoint = this.endpoints.get(endpointId) ?? { underWay: 0, waiting: [] };
    this.endpoints.set(endpointId, endpoint);
    const end = () => {
      const next = endpoint.waiting.shift();
      if (next)
        next(); // the turn is handed on
      else if (--endpoint.underWay === 0) this.endpoints.delete(endpointId);
    };
    if (endpoint.underWay < this.most) {
      endpoint.underWay++;
      return end;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const called = () => resolve(true);
    endpoint.waiting.push(called);
    const patience = setTimeout(() => resolve(false), this.patienceMs);
    const hasTurn = await promise;
    clearTimeout(patience);
    if (hasTurn) return end;
    endpoint.waiting = endpoint.waiting.filter((other) => other !== called);
    return null;
  }
}
