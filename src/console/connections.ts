import { AWAITS_PROOF, ENDED } from '../domain/connection/state-sets.ts';
import type { State } from '../domain/connection/connection.ts';
import { unicodeHostname } from '../domain/idn.ts';
import type { Schemas } from './paths.ts';

export type Connection = Schemas['Connection'];

/** Returns a hostname as its owner writes it, with the ASCII form if the two differ. */
export function shownHostname(hostname: string): { name: string; ascii: string | null } {
  const name = unicodeHostname(hostname);
  return name === hostname ? { name, ascii: null } : { name, ascii: hostname };
}

export const canVerify = ({ state }: Connection): boolean => AWAITS_PROOF.has(state as State);
export const canArchive = ({ state }: Connection): boolean => state !== 'archived';
export const hasEnded = ({ state }: Connection): boolean => ENDED.has(state as State);
