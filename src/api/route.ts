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

/** Prefix of every path: the major version of the contract. */
export const API_PREFIX = '/v1';

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
  /** Of answers that are asked for again and again: a caller who has this one already is told so, without the body. */
  etag?: string;
  /** When asking again makes sense, in seconds. */
  retryAfterSeconds?: number;
  /** What the audit log names, where the answer itself does not. */
  audited?: { id: string; environment: Environment };
}

/** How a widget token may use a route: never for another application than its own, nor for another name if it is bound. */
export interface WidgetUse<B> {
  applicationId?(body: B): string | undefined;
  hostname?(body: B): string | undefined;
}

/** What every route says of itself. Validation, authorization, limits, documentation and the permission tests read it. */
interface Described<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  /** Relative to /v1, with {braces} for parameters, as the documentation shows it. */
  path: string;
  summary: string;
  /** Any one of these scopes; none named means any valid key. */
  needs: readonly Scope[];
  /** Present where widget tokens are accepted. */
  widget?: WidgetUse<z.infer<B>>;
  /** Test keys only: what it touches exists in the test environment alone. */
  testOnly?: true;
  params: P;
  query: Q;
  body: B;
  /** Where bodies may be larger than elsewhere. */
  bodyLimitKb?: number;
  replies: Record<number, z.ZodType>;
  errors: readonly ErrorCode[];
  /** Honours Idempotency-Key. Fields named here are secrets: answered once, never kept. */
  idempotent?: { secrets: readonly string[] };
  /** Asked for again and again: answers carry an ETag, and in Retry-After when to ask again. */
  polled?: true;
  /** Written to the audit log when the request succeeds; the answer then has an `id` and an `environment`. */
  audit?: AuditAction;
  /** A limit of its own beside the caller's: what is limited, by which setting. */
  limit?: { by: 'verify'; key(params: z.infer<P>): string };
  /** What must wait for the commit and be waited for itself, such as "every edge has forgotten this name". */
  afterCommit?(context: ContextOf<P, Q, B>, reply: Reply): Promise<void>;
}

type ContextOf<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = Context<
  z.infer<P>,
  z.infer<Q>,
  z.infer<B>
>;

/** The usual kind: everything the handler does is one transaction, which commits when it returns. */
interface Transactional<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R> extends Described<P, Q, B> {
  runs: 'in a transaction';
  /** Calls to others go here, before the transaction: it may run again, and must not wait for another server. */
  prepare?(context: ContextOf<P, Q, B> & { inTransaction: InTransaction }): Promise<R>;
  /** `tx` is bound to the caller's tenant by row-level security. */
  handle(context: ContextOf<P, Q, B> & { tx: Tx; prepared: R }): Promise<Reply>;
}

/** For handlers that wait for another server and must not hold a connection meanwhile. */
interface Waiting<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> extends Described<P, Q, B> {
  runs: 'outside a transaction';
  handle(context: ContextOf<P, Q, B> & { inTransaction: InTransaction }): Promise<Reply>;
}
export type InTransaction = <T>(body: (tx: Tx) => Promise<T>) => Promise<T>;

/** For reading one object: it is found in the statement that recognizes the caller, in one round trip. */
interface Finding<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, F> extends Described<P, Q, B> {
  runs: 'with authentication';
  find(params: z.infer<P>): Find<F>;
  /** `found` is the tenant's; whether it is within the caller's reach is for the handler to judge. */
  handle(context: ContextOf<P, Q, B> & { found: F | null }): Reply;
}

export type Route<P extends z.ZodType = z.ZodType, Q extends z.ZodType = z.ZodType, B extends z.ZodType = z.ZodType> =
  Transactional<P, Q, B, unknown> | Waiting<P, Q, B> | Finding<P, Q, B, unknown>;

/** Parts of a request that a route may leave out: it then refuses every parameter, query field or body field by name. */
type Optional = 'params' | 'query' | 'body';
const NONE = { params: Nothing, query: Nothing, body: Nothing };
type None = typeof Nothing;
type Definition<T extends Record<Optional | 'runs', unknown>> = Omit<T, Optional | 'runs'> & Partial<Pick<T, Optional>>;

/** Defines a route. TypeScript infers the handler's context from the schemas of the route. */
export const route = <
  P extends z.ZodType = None,
  Q extends z.ZodType = None,
  B extends z.ZodType = None,
  R = undefined,
>(
  value: Definition<Transactional<P, Q, B, R>>,
): Route => ({ ...NONE, ...value, runs: 'in a transaction' });

export const waitingRoute = <P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  value: Definition<Waiting<P, Q, B>>,
): Route => ({ ...NONE, ...value, runs: 'outside a transaction' });

export const findingRoute = <F, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  value: Definition<Finding<P, Q, B, F>>,
): Route => ({ ...NONE, ...value, runs: 'with authentication' });
