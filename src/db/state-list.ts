import type { StateSet } from '../domain/connection/state-sets.ts';
import { sql } from './pool.ts';

/** Returns `IN ('…', …)` for a set of states. The states are literals, because partial indexes match no parameters. */
export const inStates = (states: StateSet) =>
  sql.fragment`IN (${sql.join(
    [...states].map((state) => sql.literalValue(state)),
    sql.fragment`, `,
  )})`;
