import type { z } from 'zod';
import type { AuditAction } from '../db/audit.ts';
import type { Find } from '../db/tenant/callers.ts';
import type { Tx } from '../db/pool.ts';
import type { Environment } from '../domain/connection/connection.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Scope } from '../domain/scope.ts';
import type { Caller } from './caller.ts';
import type { ApiDeps } from './deps.ts';
import { Nothing } from './schemas/common.ts';

/** Major version of the contract, with which every path begins. */
export const API_VERSION = 'v1';
export const API_PREFIX = `/${API_VERSION}`;

export interface Context<P = unknown, Q = unknown, B = unknown> {
  caller: Caller;
  params: P;
  query: Q;
  body: B;
  deps: ApiDeps;
  now: Date;
}

export interface Reply {
  status: number;
  body: unknown;
  /** Tag of a polled answer. A caller that already has the answer gets a 304 without a body. */
  etag?: string;
  /** Seconds to wait before the next poll. */
  retryAfterSeconds?: number;
  /** Object for the audit log, if the answer does not contain it. */
  audited?: { id: string; environment: Environment };
}

/** Fields of the body that must match the application and hostname of a widget token. */
export interface WidgetUse<B> {
  applicationId?(body: B): string | undefined;
  hostname?(body: B): string | undefined;
}

/** Properties of every route. Validation, authorization, limits, documentation and the permission tests read them. */
interface Described<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  /** Path below /v1, with {braces} for parameters. */
  path: string;
  summary: string;
  /** The caller needs one of these scopes. If the list is empty, any valid key is enough. */
  needs: readonly Scope[];
  /** Present if the route accepts widget tokens. */
  widget?: WidgetUse<z.infer<B>>;
  /** Creates a credential. A console session cannot, so that nothing outlives its end. */
  createsCredential?: true;
  /** Only test keys may use the route. */
  testOnly?: true;
  params: P;
  query: Q;
  body: B;
  /** Maximum size of the body, if it is not the default. */
  bodyLimitKb?: number;
  replies: Record<number, z.ZodType>;
  errors: readonly ErrorCode[];
  /** Supports Idempotency-Key. `secrets` are fields of the answer that must not be stored for replays. */
  idempotent?: { secrets: readonly string[] };
  /** Callers poll this route, so its answers carry ETag and Retry-After. */
  polled?: true;
  /** Action for the audit log. The answer must have `id` and `environment`, or the reply must have `audited`. */
  audit?: AuditAction;
  /** Rate limit of this route, in addition to the caller's. */
  limit?: { by: 'verify'; key(params: z.infer<P>): string };
  /** Runs after the commit and before the answer is sent, for example to wait until every edge has applied a change. */
  afterCommit?(context: ContextOf<P, Q, B>, reply: Reply): Promise<void>;
}

type ContextOf<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = Context<
  z.infer<P>,
  z.infer<Q>,
  z.infer<B>
>;

/** A route whose handler runs in one transaction, which commits when the handler returns. */
interface Transactional<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R> extends Described<P, Q, B> {
  runs: 'in a transaction';
  /** Calls other servers before the transaction, which may be retried and must not wait for other servers. */
  prepare?(context: ContextOf<P, Q, B> & { inTransaction: InTransaction }): Promise<R>;
  /** `tx` is bound to the caller's tenant by row-level security. */
  handle(context: ContextOf<P, Q, B> & { tx: Tx; prepared: R }): Promise<Reply>;
}

/** A route whose handler waits for another server and must not hold a database connection meanwhile. */
interface Waiting<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> extends Described<P, Q, B> {
  runs: 'outside a transaction';
  handle(context: ContextOf<P, Q, B> & { inTransaction: InTransaction }): Promise<Reply>;
}
export type InTransaction = <T>(body: (tx: Tx) => Promise<T>) => Promise<T>;

/** A route that reads one object in the same database statement that authenticates the caller, to save a round trip. */
interface FindingRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, F> extends Described<P, Q, B> {
  runs: 'with authentication';
  find(params: z.infer<P>, query: z.infer<Q>): Find<F>;
  /** `found` belongs to the tenant. The handler must check that the caller reaches it. */
  handle(context: ContextOf<P, Q, B> & { found: F | null }): Reply;
}

export type Route<P extends z.ZodType = z.ZodType, Q extends z.ZodType = z.ZodType, B extends z.ZodType = z.ZodType> =
  Transactional<P, Q, B, unknown> | Waiting<P, Q, B> | FindingRoute<P, Q, B, unknown>;

/** Parts of a request that a route may leave out: it then refuses every parameter, query field or body field by name. */
type Optional = 'params' | 'query' | 'body';
const NONE = { params: Nothing, query: Nothing, body: Nothing };
type None = typeof Nothing;
type Schema = z.ZodType;
type Definition<T extends Record<Optional | 'runs', unknown>> = Omit<T, Optional | 'runs'> & Partial<Pick<T, Optional>>;

/** Defines a route. TypeScript infers the handler's context from the schemas of the route. */
export const route = <P extends Schema = None, Q extends Schema = None, B extends Schema = None, R = undefined>(
  value: Definition<Transactional<P, Q, B, R>>,
): Route => ({ ...NONE, ...value, runs: 'in a transaction' });

export const waitingRoute = <P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  value: Definition<Waiting<P, Q, B>>,
): Route => ({ ...NONE, ...value, runs: 'outside a transaction' });

export const findingRoute = <F, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  value: Definition<FindingRoute<P, Q, B, F>>,
): Route => ({ ...NONE, ...value, runs: 'with authentication' });
