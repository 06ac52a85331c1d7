/** A span of simulated days, from the start of the soak. */
export interface Span {
  from: number;
  to: number;
}

/** Life of a connection: what its owner, its application and its provider do, and when. */
export interface Fate {
  hostname: string;
  tenant: number;
  bornOn: number;
  setup: 'manual' | 'automatic';
  /** The owner never publishes the challenge. */
  isNeverProved: boolean;
  /** Days on which the owner removes our records. With manual setup they come back at the end of the span. */
  drifts: Span[];
  archivedOn: number | null;
  /** The records stay published after the archive. */
  isLeftBehind: boolean;
}

export interface Fates {
  connections: Fate[];
  tenants: { isSubscribed: boolean; deletedOn: number | null; zone: string }[];
  /** The provider refuses every request. */
  outages: Span[];
  /** No name server answers. */
  silences: Span[];
  /** Each tenant's credential is replaced. */
  rotations: number[];
}

export const YEAR = 365;
const TENANT_SIZE = 20;
/** Longer than the pace of the checks, so that a check falls into every drift. */
const DRIFT_LASTS = 70;

export const isWithin = (spans: readonly Span[], day: number): boolean =>
  spans.some(({ from, to }) => from <= day && day < to);

/** Draws the fates of connections over these days. The same seed draws the same fates. */
export function drawFates(seed: number, connections: number, days: number): Fates {
  const random = generator(seed);
  const dayIn = (from: number, to: number): number => Math.floor(from + random() * Math.max(1, to - from));
  const years = Math.max(1, Math.round(days / YEAR));
  const spread = (times: number, length: number): Span[] =>
    Array.from({ length: times }, (_, i) => {
      const from = dayIn((i * days) / times, ((i + 0.8) * days) / times);
      return { from, to: Math.min(from + length, days) };
    });
  const outages = spread(years, 3);
  const tenants = Array.from({ length: Math.max(4, Math.ceil(connections / TENANT_SIZE)) }, (_, i) => ({
    isSubscribed: i % 4 === 0,
    // Not while the provider is away: a deletion waits until our records are removed.
    deletedOn: i % 10 === 3 ? afterOutage(dayIn(days * 0.4, days * 0.9), outages) : null,
    zone: `customer-${i}.com`,
  }));
  return {
    outages,
    silences: spread(years, 2),
    rotations: Array.from({ length: years }, (_, i) => Math.floor(((i + 0.5) * days) / years)),
    tenants,
    connections: Array.from({ length: connections }, (_, i) => {
      const bornOn = i % 3 > 0 ? 0 : dayIn(0, days / 3);
      const isNeverProved = i % 200 === 10;
      const setup = !isNeverProved && i % 5 < 2 ? 'automatic' : 'manual';
      const tenant = i % tenants.length;
      const archivedOn = i % 7 === 5 ? dayIn(bornOn + days * 0.2, days * 0.95) : null;
      return {
        hostname: `shop-${i}.${setup === 'automatic' ? tenants[tenant]!.zone : 'elsewhere.com'}`,
        tenant,
        bornOn,
        setup,
        isNeverProved,
        drifts: isNeverProved ? [] : driftsAfter(bornOn),
        archivedOn,
        isLeftBehind: i % 2 === 0,
      };
    }),
  };

  /** Draws a drift in about every other year. The last one ends well before the end, so that every connection recovers. */
  function driftsAfter(bornOn: number): Span[] {
    const drifts: Span[] = [];
    for (let year = 0; year < years; year++) {
      const from = dayIn(bornOn + year * YEAR + 10, bornOn + (year + 1) * YEAR - DRIFT_LASTS);
      if (random() < 0.5 && from + 2 * DRIFT_LASTS < days) drifts.push({ from, to: from + DRIFT_LASTS });
    }
    return drifts;
  }
}

const afterOutage = (day: number, outages: readonly Span[]): number =>
  outages.find(({ from, to }) => from - 1 <= day && day < to + 2)?.to ?? day;

/** Returns a generator of numbers in [0, 1): mulberry32. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
