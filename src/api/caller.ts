import type { ApplicationRow } from '../db/tenant/applications.ts';
import type { Environment, State } from '../domain/connection/connection.ts';
import { notFound, ServiceError } from '../domain/errors.ts';
import type { Scope } from '../domain/scope.ts';
import type { Bound } from './widget-token.ts';

/** An authenticated caller. It reaches only objects of its tenant, and with a test key only test objects. */
export interface Caller {
  tenantId: string;
  environment: Environment;
  scopes: ReadonlySet<Scope>;
  credential: KeyCredential | WidgetCredential | SessionCredential;
}

/** A caller with an API key or a widget token, which belong to an application. */
export type BearerCaller = Caller & { credential: KeyCredential | WidgetCredential };

export interface KeyCredential {
  kind: 'key';
  keyId: string;
  /** Application of the key, to which its calls are metered. */
  applicationId: string;
}

/** A person who is signed in to the console. */
export interface SessionCredential {
  kind: 'session';
  sessionId: string;
}

/** A browser with a widget token. It reaches connections with its application, external id and hostname (if bound). */
export interface WidgetCredential {
  kind: 'widget';
  tokenId: string;
  applicationId: string;
  hostname: string | null;
  externalId: string | null;
  /** Fields that every connection gets which this browser creates. */
  bound: Bound;
  allowedOrigins: readonly string[];
}

/** Environments whose objects the caller reaches. */
export const environmentsOf = ({ environment, credential }: Caller): readonly Environment[] =>
  environment === 'live' && credential.kind !== 'widget' ? ['test', 'live'] : [environment];

interface Reachable {
  environment: Environment;
  application_id: string;
  hostname?: string;
  /** Only connections have an external id. */
  external_id?: string | null;
}

export function canReach(caller: Caller, object: Reachable): boolean {
  const { credential } = caller;
  if (!environmentsOf(caller).includes(object.environment)) return false;
  if (credential.kind !== 'widget') return true;
  const elsewhere = credential.hostname !== null && (object.hostname ?? credential.hostname) !== credential.hostname;
  const anothers = object.external_id !== undefined && object.external_id !== credential.externalId;
  return object.application_id === credential.applicationId && !elsewhere && !anothers;
}

/** Returns the object if the caller reaches it. Otherwise throws the same 404 as for an object that does not exist. */
export function reach<T extends Reachable>(caller: Caller, object: T | null): T {
  if (object === null || !canReach(caller, object)) throw notFound();
  return object;
}

/** Returns the application if the caller reaches it, as `reach` does. */
export const reachApplication = (caller: Caller, row: ApplicationRow | null): ApplicationRow =>
  reach(caller, row && { ...row, application_id: row.id });

/** Throws if the connection is archived, because archived connections are read-only. */
export function refuseArchived<T extends { state: State }>(row: T): T {
  if (row.state === 'archived')
    throw new ServiceError('invalid_state', 'The connection is archived. Create a new one.');
  return row;
}

/** Throws if the connection is archived, or wants records only and therefore has no certificate and no site. */
export function refuseUnserved<T extends { state: State; serve: boolean }>(row: T): T {
  if (!row.serve) throw new ServiceError('invalid_state', 'The connection wants records only (serve: false).');
  return refuseArchived(row);
}

/** Identifies what a caller can see. Idempotent answers are shared only between callers with the same reach. */
export const reachOf = ({ environment, credential }: Caller): string =>
  credential.kind !== 'widget'
    ? environment
    : `${credential.applicationId} ${credential.hostname ?? ''} ${JSON.stringify(credential.externalId)}`;
