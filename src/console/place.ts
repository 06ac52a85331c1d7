import { useLocation, useSearch } from 'wouter-preact';
import { searchOf, type Query } from './paths.ts';
import { useSession } from './session.ts';

export type Environment = 'test' | 'live';

/** The part of the tenant's data that the screens show: an environment, and one application or all. */
export interface Scope {
  environment: Environment;
  applicationId: string | null;
}

export interface Place {
  path: string;
  /** Query of the address, without the scope. */
  query: Readonly<Record<string, string>>;
  scope: Scope;
  /** Address of a screen in this scope. */
  href(path: string, query?: Query): string;
  go(path: string, query?: Query, options?: { replace?: boolean }): void;
  /** Changes fields of this screen's query. */
  set(query: Query, options?: { replace?: boolean }): void;
  setScope(scope: Partial<Scope>): void;
}

/** Returns the address as screens use it. It contains the scope, so that a copied address shows the same view. */
export function usePlace(): Place {
  const [path, navigate] = useLocation();
  const { env, app, ...query } = Object.fromEntries(new URLSearchParams(useSearch()));
  const session = useSession();
  // A session of the test environment sees nothing else.
  const environment = session.environment === 'test' || env === 'test' ? 'test' : 'live';
  const scope: Scope = { environment, applicationId: app ?? null };
  const address = (to: string, given: Query, within: Scope): string => {
    const scoped = { env: within.environment === session.environment ? null : within.environment, app: within.applicationId }; // prettier-ignore
    const search = searchOf({ ...given, ...scoped });
    return search === '' ? to : `${to}?${search}`;
  };
  const href = (to: string, given: Query = {}) => address(to, given, scope);
  return {
    path,
    query,
    scope,
    href,
    go: (to, given = {}, options = {}) => navigate(href(to, given), options),
    set: (given, options = {}) => navigate(href(path, { ...query, ...given }), options),
    // A page of a list belongs to the scope that it was read in.
    setScope: (given) => navigate(address(path, { ...query, after: null }, { ...scope, ...given })),
  };
}

/** Query that limits a list of connections to the scope. */
export const scopeQuery = ({ environment, applicationId }: Scope): Query => ({
  environment,
  application_id: applicationId,
});
