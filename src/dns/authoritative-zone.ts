import type { ServerRef, ZoneObservation } from '../domain/observation/observation.ts';
import type { AuthorityReply } from './authority-reply.ts';

/** A zone together with the servers that hold it, and how they were found. */
export interface AuthoritativeZone {
  observation: ZoneObservation;
  servers: ServerRef[];
  /** The registered domain and its NS set, from which the way to the servers began. */
  delegation: { domain: string; nameservers: string[] };
  /** Names of servers whose addresses a resolver gave; the others' came with a referral from the zone above. */
  resolved: ReadonlySet<string>;
}

export interface ServerReply {
  server: ServerRef;
  reply: AuthorityReply;
}
