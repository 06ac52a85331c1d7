import { DAY } from '../duration.ts';
import { STATES, type State } from './connection.ts';

const OF_CONNECTIONS = { stalled: true, drifted: true, failing_certificates: true, dangling: true };

/** Reasons why a connection needs attention, by which it can be listed. */
export type ConnectionAttention = keyof typeof OF_CONNECTIONS;
export const CONNECTION_ATTENTION = Object.keys(OF_CONNECTIONS) as ConnectionAttention[];

/** Everything that needs attention. Credentials and webhook endpoints have lists of their own. */
export const ATTENTION = [...CONNECTION_ATTENTION, 'refused_credentials', 'disabled_endpoints'] as const;
export type Attention = (typeof ATTENTION)[number];

/** Steps of the histogram: upper bounds in seconds. Null: everything above. The database names them by the same numbers. */
export const SECONDS_TO_LIVE = [10, 30, 60, 300, 900, 3_600, 21_600, 86_400, 259_200, null] as const;

/** A maintained count, by its name in the database. */
export interface Counted {
  kind: string;
  count: number;
}

export interface Counts {
  total: number;
  by_state: Record<State, number>;
  attention: Record<Attention, number>;
}

export function countsOf(counted: readonly Counted[]): Counts {
  const found = new Map(counted.map(({ kind, count }) => [kind, count]));
  const each = <K extends string>(keys: readonly K[], kindOf: (key: K) => string) =>
    Object.fromEntries(keys.map((key) => [key, found.get(kindOf(key)) ?? 0])) as Record<K, number>;
  const by_state = each(STATES, (state) => `state:${state}`);
  const { stalled, drifted } = by_state;
  return {
    total: Object.values(by_state).reduce((sum, count) => sum + count, 0),
    by_state,
    attention: { ...each(ATTENTION, (key) => key), stalled, drifted },
  };
}

/** Counts of one day, by UTC. */
export interface DayCounted extends Counted {
  day: string;
}

export interface Series {
  days: { day: string; created: number; live: number; archived: number }[];
  seconds_to_live: { up_to: number | null; count: number }[];
}

const LIVE = 'live:';
const stepName = (bound: number | null): string => `${LIVE}${bound ?? 'more'}`;

/** Returns the days that end with today, oldest first, without a gap. */
export function daysUntil(now: Date, count: number): string[] {
  const day = (ago: number) => new Date(now.getTime() - ago * DAY).toISOString().slice(0, 10);
  return Array.from({ length: count }, (_, index) => day(count - 1 - index));
}

export function seriesOf(days: readonly string[], counted: readonly DayCounted[]): Series {
  const sum = (isWanted: (row: DayCounted) => boolean) =>
    counted.filter(isWanted).reduce((total, { count }) => total + count, 0);
  return {
    days: days.map((day) => ({
      day,
      created: sum((row) => row.day === day && row.kind === 'created'),
      live: sum((row) => row.day === day && row.kind.startsWith(LIVE)),
      archived: sum((row) => row.day === day && row.kind === 'archived'),
    })),
    seconds_to_live: SECONDS_TO_LIVE.map((bound) => ({
      up_to: bound,
      count: sum(({ kind }) => kind === stepName(bound)),
    })),
  };
}
