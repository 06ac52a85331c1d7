import { z } from 'zod';
import { jsonOf, none, sql, type Pool, type Tx } from '../pool.ts';

const State = z.record(z.string(), z.object({ tokens: z.number(), at: z.number() }));
type State = z.infer<typeof State>;
const Row = z.object({ state: State, now_ms: z.number() });

/** Returns the result of a decision, and the state that it leaves; without a state nothing is saved. */
export type AllowanceDecision<T> = (state: Readonly<State>, nowMs: number) => { result: T; next?: Readonly<State> };

/** An account's state as this process last saw it, and the time by Postgres' clock, which all processes share. */
export interface SeenAllowance {
  state: Readonly<State>;
  nowMs: number;
}

/** Updates an account's state under a lock. */
export const changeAllowance = <T>(
  pool: Pool,
  account: string,
  decide: AllowanceDecision<T>,
): Promise<{ result: T; seen: SeenAllowance }> =>
  pool.transaction(async (tx) => {
    const { state, now_ms: nowMs } = await lockAllowance(tx, account);
    const { result, next } = decide(state, nowMs);
    if (next !== undefined)
      await tx.query(sql.type(none)`
        UPDATE request_allowances SET state = ${sql.jsonb(jsonOf(next))}, used_at = now() WHERE account = ${account}
      `);
    return { result, seen: { state: next ?? state, nowMs } };
  });

/** Replaces the state unless another process has changed it since. Returns whether it was replaced. */
export async function replaceAllowance(
  pool: Pool,
  account: string,
  before: Readonly<State>,
  next: Readonly<State>,
): Promise<boolean> {
  const { rowCount } = await pool.query(sql.type(none)`
    UPDATE request_allowances SET state = ${sql.jsonb(jsonOf(next))}, used_at = now()
    WHERE account = ${account} AND state = ${sql.jsonb(jsonOf(before))}
  `);
  return rowCount === 1;
}

const lockAllowance = (tx: Tx, account: string): Promise<z.infer<typeof Row>> =>
  tx.one(sql.type(Row)`
    INSERT INTO request_allowances (account, state, used_at) VALUES (${account}, '{}', now())
    ON CONFLICT (account) DO UPDATE SET used_at = excluded.used_at
    RETURNING state, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms
  `);
