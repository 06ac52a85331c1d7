import { AT_REST, PROVED, RETRIES_REFUSED_WRITE } from '../../domain/connection/state-sets.ts';
import { inStates } from '../state-list.ts';
import { z } from 'zod';
import { STATES, type State } from '../../domain/connection/connection.ts';
import { connectionColumns, ConnectionRow } from './connection-row.ts';
import { enqueue } from '../outbox.ts';
import { none, sql, type Queryable, type Tx } from '../pool.ts';
import { isOverdue } from './reconcile.ts';
import { transition } from './transitions.ts';
import { hasDrifted } from './claims.ts';

export const getConnection = (db: Queryable, id: string): Promise<ConnectionRow | null> =>
  db.maybeOne(sql.type(ConnectionRow)`SELECT ${connectionColumns} FROM connections WHERE id = ${id}`);

/** Returns the holders of the hostnames' claims, for operators, who see the connections of every tenant. */
export async function findClaims(db: Queryable, hostnames: readonly string[]): Promise<readonly ConnectionRow[]> {
  if (hostnames.length === 0) return [];
  return db.any(sql.type(ConnectionRow)`
    SELECT ${connectionColumns} FROM connections
    WHERE hostname = ANY(${sql.array([...hostnames], 'text')}) AND serve AND state ${inStates(PROVED)}
  `);
}

export const findClaim = async (db: Queryable, hostname: string): Promise<ConnectionRow | null> =>
  (await findClaims(db, [hostname]))[0] ?? null;

const Owner = z.object({ id: z.uuid(), application_id: z.uuid(), external_id: z.string().nullable() });
export type Owner = z.infer<typeof Owner>;

/** Returns to which application and customer connections belong, by their ids. */
export async function ownersOf(db: Queryable, ids: readonly string[]): Promise<Map<string, Owner>> {
  const owners = await db.any(sql.type(Owner)`
    SELECT id, application_id, external_id FROM connections WHERE id = ANY(${sql.array([...ids], 'uuid')})
  `);
  return new Map(owners.map((owner) => [owner.id, owner]));
}

/** Returns connections of the caller that have proved a hostname, served or not. */
export const findProved = (db: Queryable, hostname: string): Promise<readonly ConnectionRow[]> =>
  db.any(sql.type(ConnectionRow)`
    SELECT ${connectionColumns} FROM connections WHERE hostname = ${hostname} AND state ${inStates(PROVED)}
  `);

/** Locks the row FOR SHARE: it cannot change until commit, and other readers do not wait. */
export const shareConnection = (tx: Tx, id: string): Promise<ConnectionRow | null> =>
  tx.maybeOne(sql.type(ConnectionRow)`SELECT ${connectionColumns} FROM connections WHERE id = ${id} FOR SHARE`);

export const lockConnection = (tx: Tx, id: string): Promise<ConnectionRow | null> =>
  tx.maybeOne(sql.type(ConnectionRow)`SELECT ${connectionColumns} FROM connections WHERE id = ${id} FOR UPDATE`);

/** Archives the locked connection and its companion, and frees the claim. The workflow then removes our records. */
export async function archiveConnection(tx: Tx, locked: ConnectionRow, now: Date): Promise<ConnectionRow> {
  if (locked.state === 'archived') return locked;
  const moved = await transition(tx, locked, 'archive', { now, next_check_at: null, cleanup: 'pending' });
  if (moved.outcome !== 'moved') throw new Error('A locked connection was moved by another transaction.');
  await enqueue(tx, moved.row, 'archive');
  for (const companion of await lockCompanions(tx, locked.id)) await archiveConnection(tx, companion, now);
  return moved.row;
}

/** Locks the companions of a connection, which would redirect to nothing without it. */
const lockCompanions = (tx: Tx, id: string): Promise<readonly ConnectionRow[]> =>
  tx.any(sql.type(ConnectionRow)`
    SELECT ${connectionColumns} FROM connections WHERE companion_of = ${id} AND state <> 'archived' ORDER BY id FOR UPDATE
  `);

/** Returns the connection and all of its companions, past ones too. */
export const withCompanions = (db: Queryable, id: string): Promise<readonly string[]> =>
  db.anyFirst(sql.type(z.object({ id: z.uuid() }))`
    SELECT id FROM connections WHERE id = ${id} OR companion_of = ${id} ORDER BY id
  `);

const Touchable = z.object({ id: z.uuid(), tenant_id: z.uuid() });

/** Returns connections of an application that wait, so that a change may help them. */
export const listTouchable = (
  db: Queryable,
  applicationId: string,
): Promise<readonly { id: string; tenant_id: string }[]> =>
  db.any(sql.type(Touchable)`
    SELECT id, tenant_id FROM connections
    WHERE application_id = ${applicationId} AND NOT state ${inStates(AT_REST)}
  `);

/** Allows refused writes another try, because the application's policy or the credential has changed. */
export async function clearRefusals(db: Queryable, applicationId: string, credentialId: string | null): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE connections SET credential_id = NULL
    WHERE application_id = ${applicationId} AND setup_type = 'manual'
      AND state ${inStates(RETRIES_REFUSED_WRITE)}
      AND (${credentialId}::uuid IS NULL OR credential_id = ${credentialId})
  `);
}

/** Returns the tenant's sandbox connections at or below these names. */
export const findSandboxConnections = (
  db: Queryable,
  { at, below }: { at: string[]; below: string[] },
): Promise<readonly { id: string; tenant_id: string }[]> =>
  db.any(sql.type(Touchable)`
    SELECT id, tenant_id FROM connections
    WHERE environment = 'test' AND state <> 'archived' AND hostname = ANY(${sql.array(at, 'text')})
    UNION
    SELECT id, tenant_id FROM connections
    WHERE environment = 'test' AND state <> 'archived'
      AND id IN (SELECT connections_at_or_below(NULL, ${sql.array(below, 'text')}))
  `);

/** Returns connections of every tenant, for operators. `stuck` selects those without a running workflow. */
export const listForOperator = (
  db: Queryable,
  { stuck, state }: { stuck: boolean; state: string | null },
): Promise<readonly ConnectionRow[]> =>
  db.any(sql.type(ConnectionRow)`
    SELECT ${connectionColumns} FROM connections
    WHERE ${state === null ? sql.fragment`true` : sql.fragment`state = ${state}`}
      AND ${stuck ? isOverdue : sql.fragment`true`}
    ORDER BY created_at DESC, id DESC LIMIT 200
  `);

/** Returns archived connections of every tenant whose hostname was last seen pointing here. */
export const listDangling = (db: Queryable): Promise<readonly ConnectionRow[]> =>
  db.any(sql.type(ConnectionRow)`
    SELECT ${connectionColumns} FROM connections WHERE dangling ORDER BY created_at DESC, id DESC LIMIT 1000
  `);

export async function countByState(db: Queryable): Promise<Partial<Record<State, number>>> {
  const rows = await db.any(sql.type(z.object({ state: z.enum(STATES), count: z.number() }))`
    SELECT state, count(*) AS count FROM connections GROUP BY state
  `);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** Returns the number of connections that have drifted since before this time, excluding time without an answer. */
export const driftedSince = (db: Queryable, since: Date): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*) AS count FROM connections WHERE ${hasDrifted(sql.timestamp(since))}
  `);
