import { z } from 'zod';
import { jsonOf, none, sql, type Pool, type Tx } from '../pool.ts';

const State = z.record(z.string(), z.object({ tokens: z.number(), at: z.number() }));
type State = z.infer<typeof State>;
const Row = z.object({ state: State, now_ms: z.number() });

/** Updates an account's state under a lock, by Postgres' clock, which all processes share. */
export const changeAllowance = <T>(
  pool: Pool,
  account: string,
  decide: (state: State, nowMs: number) => { result: T; next?: Readonly<State> },
): Promise<T> =>
  pool.transaction(async (tx) => {
    const { state, now_ms } = await lockAllowance(tx, account);
    const { result, next } = decide(state, now_ms);
    if (next !== undefined)
      await tx.query(sql.type(none)`
        UPDATE request_allowances SET state = ${sql.jsonb(jsonOf(next))}, used_at = now() WHERE account = ${account}
      `);
    return result;
  });

const lockAllowance = (tx: Tx, account: string): Promise<z.infer<typeof Row>> =>
  tx.one(sql.type(Row)`
    INSERT INTO request_allowances (account, state, used_at) VALUES (${account}, '{}', now())
    ON CONFLICT (account) DO UPDATE SET used_at = excluded.used_at
    RETURNING state, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms
  `);
