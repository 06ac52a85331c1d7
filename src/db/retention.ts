import { PROVED } from '../domain/connection/state-sets.ts';
import { inStates } from './state-list.ts';
import { none, sql, type Fragment, type Queryable } from './pool.ts';

interface Kept {
  table: string;
  /** Rows that may be deleted. An index supports the first condition. */
  old: Fragment;
}

const olderThan = (column: string, age: string): Fragment =>
  sql.fragment`${sql.identifier([column])} < now() - ${age}::interval`;

/** Retention times. Everything else lives as long as its connection, application or tenant. */
const KEPT: readonly Kept[] = [
  { table: 'webhook_attempts', old: olderThan('created_at', '30 days') },
  { table: 'webhook_deliveries', old: olderThan('created_at', '30 days') },
  { table: 'events', old: olderThan('created_at', '30 days') },
  // People who wait and their supporters need observations; after a week no one does.
  { table: 'observations', old: olderThan('last_at', '7 days') },
  // After a day, the rate limits of every provider have been reset.
  { table: 'request_allowances', old: olderThan('used_at', '2 days') },
  { table: 'api_call_flushes', old: olderThan('at', '1 day') },
  { table: 'share_links', old: olderThan('expires_at', '30 days') },
  { table: 'console_sessions', old: olderThan('expires_at', '30 days') },
  // No limit of a certificate authority covers more than a week.
  { table: 'certificate_orders', old: olderThan('ordered_at', '90 days') },
  // A signing request that has not come back as a certificate.
  { table: 'certificate_requests', old: olderThan('created_at', '30 days') },
  // Keys of imported certificates that have ended, or whose hostname was not proved within two weeks.
  {
    table: 'certificates',
    old: sql.fragment`source = 'edge' AND (${olderThan('not_after', '1 day')} OR ${olderThan('created_at', '14 days')}
      AND NOT EXISTS (SELECT FROM connections WHERE connections.id = connection_id AND state ${inStates(PROVED)}))`,
  },
  // An edge that has been silent for so long no longer serves.
  { table: 'edges', old: sql.fragment`heard_at + stale_ms * interval '1 millisecond' < now() - interval '30 days'` },
  // A domain whose check is long overdue has no serving connection any more, or RDAP is switched off.
  { table: 'registrations', old: olderThan('next_check_at', '30 days') },
  { table: 'timeline', old: olderThan('at', '2 years') },
  // Values that were removed or surrendered long ago are not needed for undo.
  { table: 'dns_ledger', old: sql.fragment`status NOT IN ('intended', 'standing') AND ${olderThan('at', '90 days')}` },
  { table: 'dns_displaced', old: sql.fragment`status <> 'displaced' AND ${olderThan('at', '90 days')}` },
  // A hostname that was archived long ago is unknown at the edge, because every copy holds the whole table in memory.
  {
    table: 'admissions',
    old: sql.fragment`standing = 'archived' AND (${olderThan('removed_at', '90 days')} OR EXISTS (
      SELECT FROM connections WHERE connections.id = connection_id AND ${olderThan('archived_at', '90 days')}))`,
  },
];

const ROWS_PER_STATEMENT = 5_000;

/** Deletes expired rows, a few thousand per statement, so that no other transaction waits and it can stop anytime. */
export async function deleteExpired(db: Queryable, isStopping = () => false): Promise<number> {
  let forgotten = 0;
  for (const { table, old } of KEPT) {
    const name = sql.identifier([table]);
    forgotten += await inBatches(isStopping, async () => {
      const { rowCount } = await db.query(sql.type(none)`
        DELETE FROM ${name} WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM ${name} WHERE ${old} LIMIT ${ROWS_PER_STATEMENT} FOR UPDATE SKIP LOCKED))
      `);
      return rowCount;
    });
  }
  return forgotten;
}

async function inBatches(isStopping: () => boolean, batch: () => Promise<number>): Promise<number> {
  let total = 0;
  let gone: number;
  do total += gone = await batch();
  while (gone === ROWS_PER_STATEMENT && !isStopping());
  return total;
}
