import { z } from 'zod';
import type { PageRequest, Position } from '../db/page.ts';
import { invalid } from '../domain/errors.ts';
import { isSigned, sign, type Keyring } from './signed.ts';

const Place = z.tuple([z.number().int().min(0).max(8.64e15), z.uuid()]);

/** Opaque to its holder: signed, so that it can neither be made up nor taken to another tenant's or another list. */
export function writeCursor(keys: Keyring, list: string, { created_at, id }: Position): string {
  const place = JSON.stringify([created_at.getTime(), id]);
  return Buffer.concat([sign(keys[0], `cursor ${list}`, place), Buffer.from(place)]).toString('base64url');
}

export function readCursor(keys: Keyring, list: string, cursor: string): Position | null {
  const bytes = Buffer.from(cursor, 'base64url');
  const place = bytes.subarray(32).toString();
  if (bytes.toString('base64url') !== cursor || !isSigned(keys, `cursor ${list}`, place, bytes.subarray(0, 32)))
    return null;
  const [time, id] = Place.parse(JSON.parse(place));
  return { created_at: new Date(time), id };
}

/** The query of every list. */
export interface ListQuery {
  cursor?: string | undefined;
  limit?: number | undefined;
}

/** One list of one tenant, page by page. */
export function pager(keys: Keyring, tenantId: string, name: string) {
  const list = `${tenantId} ${name}`;
  return {
    request({ cursor, limit }: ListQuery, defaultLimit: number | null): PageRequest {
      const after = cursor === undefined ? null : readCursor(keys, list, cursor);
      if (cursor !== undefined && after === null)
        throw invalid([{ path: 'query.cursor', code: 'cursor', message: 'query.cursor: not a cursor of this list.' }]);
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
