import { HOUR, MINUTE } from './duration.ts';
import { SCOPES, type Scope } from './scope.ts';

/** Name of what a person may do in the console. */
export const ROLES = ['reader', 'member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Scopes of a session, unless its creator chooses others. */
export const DEFAULT_SCOPES: readonly Scope[] = ['connections:read'];

const LINK_MS = 2 * MINUTE;
const SESSION_MS = 8 * HOUR;
/** Limits of `expires_in`, in seconds. */
export const SHORTEST_S = 60;
export const LONGEST_S = 86_400;

const isRead = (scope: Scope): boolean => scope.endsWith(':read');

export function roleOf(scopes: readonly Scope[]): Role {
  if (scopes.includes('apps:admin')) return 'admin';
  return scopes.every(isRead) ? 'reader' : 'member';
}

/** Returns every scope that a role can have. */
export const scopesOf = (role: Role): readonly Scope[] =>
  SCOPES.filter((scope) => ROLES.indexOf(role) >= rankOf(scope));

const rankOf = (scope: Scope): number => ROLES.indexOf(roleOf([scope]));

/** Returns the ends of a link and of its session. A link never outlives its session. */
export function endsOf(now: Date, expiresInS: number = SESSION_MS / 1_000): { linkExpiresAt: Date; expiresAt: Date } {
  const expiresAt = new Date(now.getTime() + expiresInS * 1_000);
  const linkExpiresAt = new Date(Math.min(now.getTime() + LINK_MS, expiresAt.getTime()));
  return { linkExpiresAt, expiresAt };
}
