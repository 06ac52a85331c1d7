import type { ServerRef, ZoneObservation } from '../domain/observation.ts';
import type { AuthorityReply } from './authority-reply.ts';

/** A zone together with the servers that hold it. */
export interface AuthoritativeZone {
  observation: ZoneObservation;
  servers: ServerRef[];
}

export interface ServerReply {
  server: ServerRef;
  reply: AuthorityReply;
}
