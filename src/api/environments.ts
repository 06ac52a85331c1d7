import type { Environment } from '../domain/connection/connection.ts';
import { environmentsOf, type Caller } from './caller.ts';

interface EnvironmentQuery {
  environment?: Environment | 'all' | undefined;
  application_id?: string | undefined;
  batch_id?: string | undefined;
}

/**
 * Returns the environments of a list, as far as the caller reaches them: those of the request, else the caller's own. A
 * filter by an application or a batch, which has an environment of its own, answers for that object.
 */
export function environmentsFor(caller: Caller, query: EnvironmentQuery): readonly Environment[] {
  const isOfObject = query.application_id !== undefined || query.batch_id !== undefined;
  const requested = query.environment ?? (isOfObject ? 'all' : caller.environment);
  return environmentsOf(caller).filter((environment) => requested === 'all' || requested === environment);
}
