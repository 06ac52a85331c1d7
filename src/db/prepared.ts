import type { Interceptor } from 'slonik';
import { BoundedMap } from '../net/bounded-map.ts';

/** Uses of a text before it is prepared, so that a text of a rare shape takes no memory in Postgres. */
const USES_BEFORE = 5;
/** A connection of Postgres keeps the plan of every prepared statement. */
const MOST_PREPARED = 200;
const COUNTED_TEXTS = 2_000;

/**
 * Names the statements that this process uses again and again. Postgres then parses and plans a text once for each
 * connection, where that costs no more than a plan for the given values.
 */
export function preparing(): Interceptor {
  const uses = new BoundedMap<string, number>(COUNTED_TEXTS);
  const names = new Map<string, string>();
  return {
    name: 'prepared-statements',
    transformQuery(_context, query) {
      const name = names.get(query.sql);
      if (name !== undefined) return { ...query, name };
      if (names.size >= MOST_PREPARED) return query;
      const used = (uses.get(query.sql) ?? 0) + 1;
      uses.set(query.sql, used);
      if (used > USES_BEFORE) names.set(query.sql, `statement_${names.size}`);
      return query;
    },
  };
}
