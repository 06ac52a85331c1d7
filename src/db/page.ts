import { sql, type Fragment } from './pool.ts';

/** Position in a list at which the previous page ended. */
export interface Position {
  created_at: Date;
  id: string;
}

export interface PageRequest {
  /** Null returns every row. */
  limit: number | null;
  after: Position | null;
}

/** Columns of a position, if the query names them differently. */
type PositionColumns = Record<keyof Position, Fragment>;

const POSITION: PositionColumns = { created_at: sql.fragment`created_at`, id: sql.fragment`id` };

/** Returns the end of a list's query, newest first. One extra row is read to find out whether there is another page. */
export const pageOf = ({ limit, after }: PageRequest, { created_at, id } = POSITION) => sql.fragment`
  ${after === null ? sql.fragment`true` : sql.fragment`(${created_at}, ${id}) < (${sql.timestamp(after.created_at)}, ${after.id}::uuid)`}
  ORDER BY ${created_at} DESC, ${id} DESC
  ${limit === null ? sql.fragment`` : sql.fragment`LIMIT ${limit + 1}`}
`;
