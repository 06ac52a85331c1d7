import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Scope } from '../domain/scope.ts';
import { ApiError, API, send } from './api.ts';

export interface Session {
  id: string;
  tenant: { id: string; name: string };
  role: 'reader' | 'member' | 'admin';
  scopes: readonly Scope[];
  environment: 'test' | 'live';
  expires_at: string;
  signed_in_at: string;
}

/** The session that a one-time link would start, shown before the link is spent. */
export type Preview = Pick<Session, 'tenant' | 'role' | 'scopes' | 'environment'> & { link_expires_at: string };

const at = (path: string): string => `${API}/session${path}`;
const bodyOf = async <T>(sent: Promise<{ body: T | null }>): Promise<T> => (await sent).body as T;

/** Returns the session of this browser, or null if none is signed in. */
export async function currentSession(): Promise<Session | null> {
  try {
    return (await send<Session>({ method: 'GET', url: at('') })).body;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

export const previewLink = (link: string): Promise<Preview> =>
  bodyOf(send<Preview>({ method: 'POST', url: at(':preview'), body: { link } }));
export const spendLink = (link: string): Promise<Session> =>
  bodyOf(send<Session>({ method: 'POST', url: at(''), body: { link } }));
export const signInToDemo = (): Promise<Session> =>
  bodyOf(send<Session>({ method: 'POST', url: at(':demo'), body: {} }));
export const signOut = (): Promise<unknown> => send({ method: 'DELETE', url: at('') });

export const SessionContext = createContext<Session | null>(null);

/** Returns the session. Only components below the shell call it. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('No session is signed in.');
  return session;
}

/** Whether the session may do this. */
export const useMay = (scope: Scope): boolean => useSession().scopes.includes(scope);
