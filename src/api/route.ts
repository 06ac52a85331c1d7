import type { z } from 'zod';
import type { KeyRow } from '../db/keys.ts';
import type { Tx } from '../db/pool.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Scope } from '../domain/scope.ts';
import type { ApiDeps } from './deps.ts';

/** Who asks. Every object it can reach belongs to its tenant; a test key reaches test objects only. */
export interface Caller {
  tenantId: string;
  environment: 'test' | 'live';
  scopes: ReadonlySet<Scope>;
  key: KeyRow;
}

export interface Context<P, Q, B> {
  caller: Caller;
  params: P;
  query: Q;
  body: B;
  /** Bound to the caller's tenant by row-level security; commits when the handler returns. */
  tx: Tx;
  deps: ApiDeps;
  now: Date;
}

export interface Reply {
  status: number;
  body: unknown;
}

/**
 * A route is a value: validation, authorization, documentation and the permission tests all read it, and the handler
 * holds only what is special.
 */
export interface Route<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> {
  method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  /** Relative to /v1, with {braces} for parameters, as the documentation shows it. */
  path: string;
  summary: string;
  needs: Scope;
  params: P;
  query: Q;
  body: B;
  replies: Record<number, z.ZodType>;
  errors: ErrorCode[];
  /** What must wait for the commit and be waited for itself, such as "every edge has forgotten this name". */
  afterCommit?(context: Omit<Context<z.infer<P>, z.infer<Q>, z.infer<B>>, 'tx'>, reply: Reply): Promise<void>;
  handle(context: Context<z.infer<P>, z.infer<Q>, z.infer<B>>): Promise<Reply>;
}

/** Infers the handler's context from the schemas beside it. */
export const route = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(value: Route<P, Q, B>): Route =>
  value;
