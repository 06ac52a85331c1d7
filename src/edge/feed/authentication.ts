import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Pool as PgPool } from 'pg';
import { bindEdge } from '../../db/edge/registered-edges.ts';
import { ServiceError } from '../../domain/errors.ts';
import { provedBy, type ProvedRequest } from './proof.ts';

/** Time for which a token counts as valid after it was checked. */
const KNOWN_FOR_MS = 1_000;

export interface KnownEdge {
  name: string;
  tokenHash: string;
}

/** Returns a function that finds the edge of a request. An accepted token and key are known for a second. */
export function authentication(database: PgPool) {
  const known = new Map<string, { edge: KnownEdge; until: number }>();
  const find = async ({ token, publicKey }: ProvedRequest): Promise<KnownEdge> => {
    const key = `${token} ${publicKey.x} ${publicKey.y}`;
    const entry = known.get(key);
    if (entry !== undefined && entry.until > performance.now()) return entry.edge;
    const name = await bindEdge(database, token, publicKey);
    known.delete(key);
    if (name === null)
      throw new ServiceError(
        'unauthorized',
        'The token is unknown, revoked, too old to bind a key pair, or bound to another one. Run edges rekey.',
      );
    const edge = { name, tokenHash: createHash('sha256').update(token).digest('hex') };
    known.set(key, { edge, until: performance.now() + KNOWN_FOR_MS });
    return edge;
  };
  return async (headers: IncomingMessage['headers'], method: string, path: string): Promise<KnownEdge> => {
    const proved = await provedBy({ authorization: headers.authorization, dpop: headers['dpop'] }, method, path);
    if (typeof proved === 'string') throw new ServiceError('unauthorized', proved);
    return find(proved);
  };
}
