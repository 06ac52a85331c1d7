import pg from 'pg';
import { z } from 'zod';
import { SCOPES, type Scope } from '../../domain/scope.ts';
import { DatabaseAway, poolSemaphore, type PoolSemaphore } from '../pool-semaphore.ts';
import { hashOfSecret } from './keys.ts';

/** The owner of a credential, as the database has it now. */
const CallerRow = z.object({
  tenant_id: z.uuid(),
  environment: z.enum(['test', 'live']),
  application_id: z.uuid(),
  scopes: z.array(z.enum(SCOPES)),
  key_id: z.uuid().nullable(),
  allowed_origins: z.array(z.string()).nullable(),
  suspended: z.boolean(),
});
export type CallerRow = z.infer<typeof CallerRow>;

/** The tenant of a console session. It has no application: the session reaches all of them. */
const SessionCaller = CallerRow.pick({ tenant_id: true, environment: true, scopes: true }).extend({
  session_id: z.uuid(),
});
export type SessionCaller = z.infer<typeof SessionCaller>;

/** An object to read in the statement that authenticates the caller. */
export interface Find<T> {
  name: string;
  /** Selects one JSON column `found` by the id `$1`, among the rows of `caller.tenant_id`. */
  select: string;
  id: string;
  parse(found: unknown): T;
}

/** SQL states of a server that cannot answer now: connection errors, no resources left, shutting down, starting up. */
export const NOT_NOW = /^(08...|53...|57P0[123])$/;

/** Every statement here reads single rows by key. A server that takes longer is unreachable. */
const ANSWER_MS = 5_000;
const OPEN_MS = 3_000;

export interface Recognized<T, C = CallerRow> {
  caller: C;
  found: T | null;
}

/** Authenticates callers with one prepared statement per request, so that a revoked key ends immediately. */
export class Callers {
  private readonly pool: pg.Pool;
  private readonly semaphore: PoolSemaphore;

  constructor(databaseUrl: string, options: { max: number; onError: (error: Error) => void }) {
    this.semaphore = poolSemaphore('requests', options.max);
    this.pool = new pg.Pool({
      connectionString: databaseUrl,
      max: options.max,
      // All statements read single rows by key, so one generic plan serves every value.
      options: '-c role=svc_api -c plan_cache_mode=force_generic_plan -c statement_timeout=30000',
      connectionTimeoutMillis: OPEN_MS,
      query_timeout: ANSWER_MS,
      idleTimeoutMillis: 60_000,
    });
    this.pool.on('error', options.onError);
  }

  byKey<T>(secret: string, find?: Find<T>): Promise<Recognized<T> | null> {
    return this.recognize(CallerRow, 'key', 'caller_of_key($2)', [hashOfSecret(secret)], find);
  }

  byToken<T>(
    token: { tenantId: string; applicationId: string; scopes: readonly Scope[]; mintedBy: string },
    find?: Find<T>,
  ): Promise<Recognized<T> | null> {
    const values = [token.tenantId, token.applicationId, token.scopes, token.mintedBy];
    return this.recognize(CallerRow, 'token', 'caller_of_token($2, $3, $4, $5)', values, find);
  }

  bySession<T>(cookie: string, now: Date, find?: Find<T>): Promise<Recognized<T, SessionCaller> | null> {
    return this.recognize(SessionCaller, 'session', 'caller_of_session($2, $3)', [hashOfSecret(cookie), now], find);
  }

  async originIsAllowed(origin: string): Promise<boolean> {
    const text = 'SELECT origin_is_allowed($1) AS allowed';
    const rows = await this.ask<{ allowed: boolean }>({ name: 'origin', text, values: [origin] });
    return rows[0]?.allowed === true;
  }

  /** Always resolves: the queries that it waits for have timeouts. */
  async databaseAnswers(): Promise<void> {
    await this.ask({ text: 'SELECT' });
  }

  end(): Promise<void> {
    return this.pool.end();
  }

  private async recognize<T, C>(
    schema: z.ZodType<C>,
    by: 'key' | 'token' | 'session',
    source: string,
    credential: unknown[],
    find?: Find<T>,
  ): Promise<Recognized<T, C> | null> {
    const rows = await this.ask<{ caller: unknown; found: unknown }>({
      name: `${by} ${find?.name ?? 'alone'}`,
      text: find === undefined ? alone(source) : withObject(source, find.select),
      values: [find?.id ?? null, ...credential],
    });
    const row = rows[0];
    if (row === undefined) return null;
    const found = find === undefined || row.found === null ? null : find.parse(row.found);
    return { caller: schema.parse(row.caller), found };
  }

  /** An error without a server's answer means that there was no server. */
  private async ask<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<R[]> {
    try {
      return (await this.semaphore.run(() => this.pool.query<R>(query))).rows;
    } catch (error) {
      if (error instanceof DatabaseAway) throw error;
      if (error instanceof pg.DatabaseError && !NOT_NOW.test(error.code ?? '')) throw error;
      throw new DatabaseAway('The database did not answer.', { cause: error });
    }
  }
}

const alone = (source: string): string =>
  `SELECT to_json(caller) AS caller FROM ${source} AS caller WHERE $1::uuid IS NULL`;

/** OFFSET 0 keeps the planner from flattening the subquery, which must run after the tenant is set. */
const withObject = (source: string, select: string): string =>
  `SELECT to_json(caller) AS caller, withObject.found
   FROM ${source} AS caller LEFT JOIN LATERAL (${select} OFFSET 0) AS withObject ON true`;
