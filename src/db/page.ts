import { sql } from './pool.ts';

/** The place in a list where the page before this one ended. */
export interface Position {
  created_at: Date;
  id: string;
}

export interface PageRequest {
  /** Null for every row. */
  limit: number | null;
  after: Position | null;
}

/**
 * The end of a WHERE clause, the order and the limit of every list: newest first, ids breaking ties, stable while rows
 * are added. One row more than asked for is read, which tells whether there is another page.
 */
export const pageOf = ({ limit, after }: PageRequest) => sql.fragment`
  ${after === null ? sql.fragment`true` : sql.fragment`(created_at, id) < (${sql.timestamp(after.created_at)}, ${after.id}::uuid)`}
  ORDER BY created_at DESC, id DESC
  ${limit === null ? sql.fragment`` : sql.fragment`LIMIT ${limit + 1}`}
`;
