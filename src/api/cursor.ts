import { z } from 'zod';
import type { PageRequest, Position } from '../db/page.ts';
import { invalid } from '../domain/errors.ts';
import { signToken, verifyToken, type Keyring } from './signed.ts';

const Place = z.tuple([z.number().int().min(0).max(8.64e15), z.uuid()]);

/** Returns an opaque cursor. Its signature binds it to one list of one tenant. */
export const writeCursor = (keys: Keyring, list: string, { created_at, id }: Position): string =>
  signToken(keys, `cursor ${list}`, JSON.stringify([created_at.getTime(), id]));

export function readCursor(keys: Keyring, list: string, cursor: string): Position | null {
  const place = verifyToken(keys, `cursor ${list}`, cursor);
  if (place === null) return null;
  const [time, id] = Place.parse(JSON.parse(place));
  return { created_at: new Date(time), id };
}

export interface ListQuery {
  cursor?: string | undefined;
  limit?: number | undefined;
}

export function pager(keys: Keyring, tenantId: string, name: string) {
  const list = `${tenantId} ${name}`;
  return {
    request({ cursor, limit }: ListQuery, defaultLimit: number | null): PageRequest {
      const after = cursor === undefined ? null : readCursor(keys, list, cursor);
      if (cursor !== undefined && after === null)
        throw invalid([
          { path: 'query.cursor', code: 'cursor', message: 'query.cursor: is not a cursor of this list.' },
        ]);
      return { limit: limit ?? (cursor === undefined ? defaultLimit : 20), after };
    },
    answer<R extends Position, T>(rows: readonly R[], { limit }: PageRequest, present: (row: R) => T) {
      const page = limit === null ? rows : rows.slice(0, limit);
      const last = page.at(-1);
      const more = last !== undefined && page.length < rows.length;
      return { data: page.map(present), next_cursor: more ? writeCursor(keys, list, last) : null };
    },
  };
}
