import type { ServerRef, ZoneObservation } from '../domain/observation/observation.ts';
import type { AuthorityReply } from './authority-reply.ts';

export interface AuthoritativeZone {
  observation: ZoneObservation;
  servers: ServerRef[];
  /** The registered domain and its NS set, where the search for the servers began, and the time of that answer. */
  delegation: { domain: string; nameservers: string[]; at: number };
  /** Names of servers whose addresses a resolver gave. Other addresses came with a referral from the parent zone. */
  resolved: ReadonlySet<string>;
}

export interface ServerReply {
  server: ServerRef;
  reply: AuthorityReply;
}
