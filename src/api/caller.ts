import type { ApplicationRow } from '../db/tenant/applications.ts';
import type { Environment, State } from '../domain/connection/connection.ts';
import { notFound, ServiceError } from '../domain/errors.ts';
import type { Scope } from '../domain/scope.ts';

/** Who asks. Every object it can reach belongs to its tenant; a test key reaches test objects only. */
export interface Caller {
  tenantId: string;
  environment: Environment;
  scopes: ReadonlySet<Scope>;
  credential: KeyCredential | WidgetCredential;
}

export interface KeyCredential {
  kind: 'key';
  keyId: string;
  /** Where the key was made, under which its calls are counted. */
  applicationId: string;
}

/**
 * A browser: it reaches its application only, there only connections of its own external id (without one, only those
 * that have none), and only one name if it is bound to that.
 */
export interface WidgetCredential {
  kind: 'widget';
  tokenId: string;
  applicationId: string;
  hostname: string | null;
  externalId: string | null;
  allowedOrigins: readonly string[];
}

/** Environments whose objects the caller reaches; a widget's application lies in one. */
export const environmentsOf = ({ environment, credential }: Caller): readonly Environment[] =>
  environment === 'live' && credential.kind === 'key' ? ['test', 'live'] : [environment];

interface Reachable {
  environment: Environment;
  application_id: string;
  hostname?: string;
  /** Of connections; applications have none. */
  external_id?: string | null;
}

export function canReach(caller: Caller, object: Reachable): boolean {
  const { credential } = caller;
  if (!environmentsOf(caller).includes(object.environment)) return false;
  if (credential.kind === 'key') return true;
  const elsewhere = credential.hostname !== null && (object.hostname ?? credential.hostname) !== credential.hostname;
  const anothers = object.external_id !== undefined && object.external_id !== credential.externalId;
  return object.application_id === credential.applicationId && !elsewhere && !anothers;
}

/** The object if the caller reaches it; what is out of reach is not there, in the same words. */
export function reach<T extends Reachable>(caller: Caller, object: T | null): T {
  if (object === null || !canReach(caller, object)) throw notFound();
  return object;
}

/** The same for an application, which is reached under its own id. */
export const reachApplication = (caller: Caller, row: ApplicationRow | null): ApplicationRow =>
  reach(caller, row && { ...row, application_id: row.id });

/** What is archived is only read: it holds no name any more, and nothing is done for it. */
export function refuseArchived<T extends { state: State }>(row: T): T {
  if (row.state === 'archived')
    throw new ServiceError('invalid_state', 'The connection is archived; create a new one.');
  return row;
}

/** What tells callers apart that see different things: answers kept for one are not given to another. */
export const reachOf = ({ environment, credential }: Caller): string =>
  credential.kind === 'key'
    ? environment
    : `${credential.applicationId} ${credential.hostname ?? ''} ${JSON.stringify(credential.externalId)}`;
