import { z } from 'zod';
import { DRIFT_KEEPS_CLAIM_FOR } from '../../domain/connection/connection.ts';
import { ENDED, PROVED, UNPROVED } from '../../domain/connection/state-sets.ts';
import { planOf } from '../billing/plans.ts';
import { connectsOf } from '../billing/usage.ts';
import { sql, type Queryable } from '../pool.ts';
import { inStates } from '../state-list.ts';
import { applicationColumns, ApplicationRow } from '../tenant/applications.ts';
import { isTakeable } from './claims.ts';
import { connectionColumns, ConnectionRow } from './connection-row.ts';

/** A connection that a request wants, as far as another one can be the same. */
export interface Wanted {
  hostname: string;
  external_id: string | null;
  serve: boolean;
}

/** Everything that the database knows about a request to connect hostnames. */
export const ConnectFacts = ApplicationRow.extend({
  blocked: z.array(z.string()),
  /** The claimed hostnames. A claim that another proof may take is none. */
  held: z.array(z.string()),
  /** Whether `findSame` finds a connection. */
  has_same: z.boolean(),
  plan: z.object({ id: z.string(), connects_per_period: z.number().nullable() }),
  /** Connects of the month, as far as they are committed. */
  used: z.number(),
}).transform(({ blocked, held, has_same, plan, used, ...application }) => ({
  application,
  blocked: new Set(blocked),
  held,
  has_same,
  plan,
  used,
}));
export type ConnectFacts = z.infer<typeof ConnectFacts>;

/** Reads the application with the facts about the hostnames, in one statement. Null if there is no such application. */
export const readConnectFacts = (
  db: Queryable,
  applicationId: string,
  wanted: readonly Wanted[],
  now: Date,
): Promise<ConnectFacts | null> => {
  const names = sql.array([...new Set(wanted.map(({ hostname }) => hostname))], 'text');
  const tenant = sql.fragment`applications.tenant_id`;
  return db.maybeOne(sql.type(ConnectFacts)`
    SELECT ${applicationColumns},
      ARRAY(SELECT blocked.hostname FROM blocked_hostnames AS blocked WHERE blocked.hostname = ANY(${names})) AS blocked,
      ARRAY(
        SELECT wanted FROM unnest(${names}) AS wanted WHERE hostname_is_held(wanted, ${driftedSince(now)})) AS held,
      EXISTS (SELECT FROM connections WHERE ${isSame(applicationId, wanted)}) AS has_same,
      (SELECT json_build_object('id', plans.id, 'connects_per_period', plans.connects_per_period)
       FROM ${planOf(tenant)}) AS plan,
      ${connectsOf(tenant, now)} AS used
    FROM applications WHERE id = ${applicationId}
  `);
};

/**
 * Returns connections of this application, hostname and external id that a repeated request continues: unproved ones,
 * and those that want records only, which no claim makes unique.
 */
export const findSame = (
  db: Queryable,
  applicationId: string,
  wanted: readonly Wanted[],
): Promise<readonly ConnectionRow[]> =>
  db.any(sql.type(ConnectionRow)`SELECT ${connectionColumns} FROM connections WHERE ${isSame(applicationId, wanted)}`);

/** The state is that of the predicate of the index connections_unproved_each. */
const isSame = (applicationId: string, wanted: readonly Wanted[]) => sql.fragment`
  connections.application_id = ${applicationId}
    AND (state ${inStates(UNPROVED)} OR NOT serve AND NOT state ${inStates(ENDED)})
    AND EXISTS (
      SELECT FROM ${sql.unnest(
        wanted.map(({ hostname, external_id, serve }) => [hostname, external_id, serve]),
        ['text', 'text', 'bool'],
      )} AS wanted (hostname, external_id, serve)
      WHERE wanted.hostname = connections.hostname AND wanted.external_id IS NOT DISTINCT FROM connections.external_id
        AND wanted.serve = connections.serve)`;

interface Holder {
  hostname: string;
  /** The holder if it belongs to the caller. */
  own: ConnectionRow | null;
}

/** Returns the holders of claimed hostnames. */
export async function findHolders(db: Queryable, held: readonly string[], now: Date): Promise<readonly Holder[]> {
  if (held.length === 0) return [];
  const own = await db.any(sql.type(ConnectionRow)`
    SELECT ${connectionColumns} FROM connections
    WHERE hostname = ANY(${sql.array([...held], 'text')}) AND serve AND state ${inStates(PROVED)}
      AND NOT ${isTakeable(driftedSince(now))}
  `);
  const byName = new Map(own.map((row) => [row.hostname, row]));
  return held.map((hostname) => ({ hostname, own: byName.get(hostname) ?? null }));
}

/** A connection that drifted before this time keeps its claim only until another proof takes it. */
const driftedSince = (now: Date) => sql.timestamp(new Date(now.getTime() - DRIFT_KEEPS_CLAIM_FOR));
