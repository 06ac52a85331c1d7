import type { ConnectionAttention } from '../../domain/connection/counts.ts';
import type { Environment, State } from '../../domain/connection/connection.ts';
import type { SavedFindingCode } from '../../domain/observation/finding.ts';
import { pageOf, type PageRequest } from '../page.ts';
import { sql, type Fragment, type Queryable } from '../pool.ts';
import { connectionColumns, ConnectionRow } from './connection-row.ts';

export interface ConnectionFilter {
  environments: readonly Environment[];
  state?: State | undefined;
  hostname?: string | undefined;
  hostname_prefix?: string | undefined;
  application_id?: string | undefined;
  external_id?: string | undefined;
  batch_id?: string | undefined;
  provider?: string | undefined;
  finding?: SavedFindingCode | undefined;
  attention?: ConnectionAttention | undefined;
  dangling?: boolean | undefined;
}

const EQUAL = ['state', 'hostname', 'application_id', 'external_id', 'batch_id', 'provider'] as const;

/** Returns connections, newest first. Each filter can be read along an index, under row-level security too. */
export function listConnections(
  db: Queryable,
  filter: ConnectionFilter,
  page: PageRequest,
): Promise<readonly ConnectionRow[]> {
  const conditions = [
    inEnvironments(filter.environments),
    ...EQUAL.flatMap((column) =>
      filter[column] === undefined ? [] : [sql.fragment`${sql.identifier([column])} = ${filter[column]}`],
    ),
    ...(filter.hostname_prefix === undefined ? [] : [beginsWith(filter.hostname_prefix)]),
    ...(filter.dangling === true ? [NEEDS.dangling] : []),
    ...(filter.attention === undefined ? [] : [NEEDS[filter.attention]]),
  ];
  const where = sql.join(conditions, sql.fragment` AND `);
  if (filter.finding === undefined)
    return db.any(sql.type(ConnectionRow)`
      SELECT ${connectionColumns} FROM connections WHERE ${where} AND ${pageOf(page)}
    `);
  return db.any(sql.type(ConnectionRow)`
    SELECT ${connectionColumns} FROM connections JOIN (${withFinding(filter.finding, filter)}) AS found
      ON found.connection_id = connections.id
    WHERE ${where} AND ${pageOf(page, { created_at: sql.fragment`connected_at`, id: sql.fragment`connection_id` })}
  `);
}

/** Compares a single environment as one value, because only then the index gives the order. */
function inEnvironments(environments: readonly Environment[]): Fragment {
  const [only, ...others] = environments;
  return only !== undefined && others.length === 0
    ? sql.fragment`environment = ${only}`
    : sql.fragment`environment = ANY(${sql.array([...environments], 'text')})`;
}

/**
 * Compares by bytes, which row-level security lets an index do before it checks the tenant; LIKE it does not. Hostnames
 * consist of characters before `~`.
 */
const beginsWith = (prefix: string): Fragment =>
  sql.fragment`hostname COLLATE "C" >= ${prefix} AND hostname COLLATE "C" < ${`${prefix}~`}`;

/** Conditions of what needs attention. Partial indexes and the counts (0065, 0067) have the same conditions. */
const NEEDS: Record<ConnectionAttention, Fragment> = {
  stalled: sql.fragment`state = 'stalled'`,
  drifted: sql.fragment`state = 'drifted'`,
  failing_certificates: sql.fragment`state <> 'archived' AND (certificate_status IN ('failed', 'expired')
    OR error_code IN ('cert_failed', 'ca_rate_limited', 'caa_blocked', 'edge_unreachable'))`,
  dangling: sql.fragment`dangling`,
};

/** Returns the connections with a finding. What the index holds is compared here, before a connection is read. */
const withFinding = (
  code: SavedFindingCode,
  { environments, application_id }: ConnectionFilter,
): Fragment => sql.fragment`
  SELECT connection_id, connected_at FROM connection_findings
  WHERE code = ${code} AND ${inEnvironments(environments)}
    AND ${application_id === undefined ? sql.fragment`true` : sql.fragment`application_id = ${application_id}`}`;
