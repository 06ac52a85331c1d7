import {
  createPool as createSlonikPool,
  createTypeParserPreset,
  SchemaValidationError,
  sql,
  type CommonQueryMethods,
  type DatabasePool,
  type DatabaseTransactionConnection,
  type DriverTypeParser,
  type FragmentSqlToken,
  type Interceptor,
  type QueryResultRow,
} from 'slonik';
import { z } from 'zod';
import { preparing } from './prepared.ts';
import { poolSemaphore, type PoolSemaphore, type Served } from './pool-semaphore.ts';

export { sql };
export type Pool = DatabasePool;
export type Tx = DatabaseTransactionConnection;
export type Queryable = CommonQueryMethods;
export type Fragment = FragmentSqlToken;

/** Schema of statements that return no rows. */
export const none = z.object({}).strict();

const resultParser: Interceptor = {
  name: 'result-parser',
  transformRow: ({ resultParser: schema }, query, row) => {
    if (!schema) return row;
    const result = schema['~standard'].validate(row);
    if (result instanceof Promise) throw new TypeError('Row schemas are synchronous.');
    if (result.issues) throw new SchemaValidationError(query, row, result.issues);
    return result.value as QueryResultRow;
  },
};

/** Times are Dates; counts and sequences are numbers. */
const typeParsers: DriverTypeParser[] = [
  ...createTypeParserPreset().filter(({ name }) => !['timestamptz', 'int8'].includes(name)),
  { name: 'timestamptz', parse: (text) => new Date(text) },
  { name: 'int8', parse: (text) => Number(text) },
];

export interface PoolOptions {
  max: number;
  name: string;
  /** Users of the connections. Default: work. */
  serves?: Served;
}

export async function createPool(databaseUrl: string, options: PoolOptions): Promise<Pool> {
  const pool = await createSlonikPool(databaseUrl, {
    maxPoolSize: options.max,
    poolName: options.name,
    captureStackTrace: false,
    connectionTimeout: 5_000,
    connectionRetryLimit: 1,
    idleTimeout: 60_000,
    statementTimeout: 30_000,
    // Our settings are transaction-local, so nothing needs to be discarded; DISCARD ALL would also drop prepared plans.
    resetConnection: () => Promise.resolve(),
    interceptors: [preparing(), resultParser],
    typeParsers,
  });
  // slonik also emits each failed query's error on the pool. Without a listener it would end the process.
  pool.on('error', () => undefined);
  return limited(pool, poolSemaphore(options.serves ?? 'work', options.max));
}

/** Methods of a pool that take a connection. */
const CONNECTING: ReadonlySet<string | symbol> = new Set([
  'any',
  'anyFirst',
  'connect',
  'exists',
  'many',
  'manyFirst',
  'maybeOne',
  'maybeOneFirst',
  'one',
  'oneFirst',
  'query',
  'stream',
  'transaction',
]);

/** Limits the tasks that wait for a connection. slonik itself lets any number of tasks wait, for any time. */
const limited = (pool: Pool, semaphore: PoolSemaphore): Pool =>
  new Proxy(pool, {
    get(target, name): unknown {
      const value: unknown = Reflect.get(target, name, target);
      if (!CONNECTING.has(name) || typeof value !== 'function') return value;
      return (...args: unknown[]) => semaphore.run(() => Reflect.apply(value, target, args) as Promise<unknown>);
    },
  });

/** Runs the body bound to this tenant by row-level security; again after a serialization failure. */
export function asTenant<T>(
  pool: Pool,
  tenantId: string,
  body: (tx: Tx) => Promise<T>,
  retryLimit?: number,
): Promise<T> {
  return pool.transaction(async (tx) => {
    await tx.query(sql.type(z.object({ role: z.string(), tenant: z.string() }))`
      SELECT set_config('role', 'svc_api', true) AS role, set_config('app.tenant_id', ${tenantId}, true) AS tenant
    `);
    return body(tx);
  }, retryLimit);
}

/** Returns a pool that works for one tenant: each statement and transaction is bound to it as in `asTenant`. */
export const tenantPool = (pool: Pool, tenantId: string): Pool =>
  new Proxy(pool, {
    get(target, name): unknown {
      if (name === 'transaction')
        return (body: (tx: Tx) => Promise<unknown>, retryLimit?: number) =>
          asTenant(target, tenantId, body, retryLimit);
      if (name === 'connect' || name === 'stream')
        throw new TypeError(`A pool that is bound to a tenant has no ${name}: use a transaction.`);
      const value: unknown = Reflect.get(target, name, target);
      if (!CONNECTING.has(name) || typeof value !== 'function') return value;
      return (...args: unknown[]) =>
        asTenant(target, tenantId, (tx) => {
          const method = Reflect.get(tx, name, tx) as (...args: unknown[]) => Promise<unknown>;
          return method.apply(tx, args);
        });
    },
  });

export const timestampOrNull = (date: Date | null) => (date === null ? null : sql.timestamp(date));

type Json = Parameters<typeof sql.jsonb>[0];
/** Converts dates and optional fields to JSON. */
export const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

/** Resolves once the database has answered through this pool. */
export async function answers(db: Queryable): Promise<void> {
  await db.query(sql.type(none)`SELECT`);
}
