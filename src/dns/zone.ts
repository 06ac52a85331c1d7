import type { ServerRef, ZoneLook } from '../domain/observation.ts';
import type { AuthorityReply } from './authority-reply.ts';

/** A zone together with the servers that hold it. */
export interface Zone {
  look: ZoneLook;
  servers: ServerRef[];
}

export interface ServerReply {
  server: ServerRef;
  reply: AuthorityReply;
}
