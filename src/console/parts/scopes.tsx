import { SCOPES } from '../../domain/scope.ts';

/** Scopes of a key or a session. */
export const Scopes = ({ of }: { of: readonly string[] }) => (
  <span class="scopes">{SCOPES.every((scope) => of.includes(scope)) ? 'Every scope' : of.join(', ')}</span>
);
