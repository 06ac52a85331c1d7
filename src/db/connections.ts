import { randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import {
  DRIFT_KEEPS_CLAIM_FOR,
  HOLDS_CLAIM,
  STATES,
  type Environment,
  type Kind,
  type State,
} from '../domain/connection.ts';
import type { DnsRecord } from '../domain/record.ts';
import { connectionColumns, ConnectionRow } from './connection-row.ts';
import { enqueue } from './outbox.ts';
import { pageOf, type PageRequest } from './page.ts';
import { jsonOf, none, sql, type Queryable, type Tx } from './pool.ts';
import { isOverdue } from './reconcile.ts';
import { hasDrifted, transition } from './transitions.ts';

/** The predicate of the index connections_unproved, word for word. */
const isUnproved = sql.fragment`state IN ('created', 'pending_ownership', 'verifying')`;

export interface NewConnection {
  tenant_id: string;
  application_id: string;
  environment: Environment;
  hostname: string;
  kind: Kind;
  external_id: string | null;
  /** Made from the id, because a template may name it. */
  desired_records: (id: string) => DnsRecord[];
  now: Date;
}

/**
 * A row that waits for its workflow: created, moved on and announced to Temporal in one transaction. Nothing when
 * another request made the same connection first; that one's row is then committed and can be read.
 */
export async function createConnection(tx: Tx, connection: NewConnection): Promise<ConnectionRow | null> {
  const id = uuidv7();
  const created = await tx.maybeOne(sql.type(ConnectionRow)`
    INSERT INTO connections (
      id, tenant_id, application_id, environment, hostname, kind, state, external_id, challenge_token, desired_records)
    VALUES (
      ${id}, ${connection.tenant_id}, ${connection.application_id}, ${connection.environment}, ${connection.hostname},
      ${connection.kind}, 'created', ${connection.external_id}, ${randomBytes(32).toString('base64url')},
      ${sql.jsonb(jsonOf(connection.desired_records(id)))})
    ON CONFLICT (application_id, hostname, external_id) WHERE ${isUnproved} DO NOTHING
    RETURNING ${connectionColumns}
  `);
  if (created === null) return null;
  const moved = await transition(tx, created, 'accepted', { now: connection.now });
  if (moved.outcome !== 'moved') throw new Error('A row made in this transaction was moved by another transaction.');
  await enqueue(tx, moved.row, 'start');
  return moved.row;
}

export const getConnection = (db: Queryable, id: string): Promise<ConnectionRow | null> =>
  db.maybeOne(sql.type(ConnectionRow)`SELECT ${connectionColumns} FROM connections WHERE id = ${id}`);

/** The connection with which a customer who asks again goes on: same application, name and external id, nothing proved yet. */
export const findUnproved = (
  db: Queryable,
  { application_id, hostname, external_id }: Pick<NewConnection, 'application_id' | 'hostname' | 'external_id'>,
): Promise<ConnectionRow | null> =>
  db.maybeOne(sql.type(ConnectionRow)`
    SELECT ${connectionColumns} FROM connections
    WHERE application_id = ${application_id} AND hostname = ${hostname} AND external_id IS NOT DISTINCT FROM ${external_id}
      AND ${isUnproved}
  `);

/**
 * Whether a connection of any tenant holds the name against others, and which of the caller's own does. One that has
 * drifted for too long holds it only until another is proved.
 */
export async function findHolder(
  db: Queryable,
  hostname: string,
  now: Date,
): Promise<{ held: boolean; own: ConnectionRow | null }> {
  const driftedSince = sql.timestamp(new Date(now.getTime() - DRIFT_KEEPS_CLAIM_FOR));
  const own = await db.maybeOne(sql.type(ConnectionRow)`
    SELECT ${connectionColumns} FROM connections
    WHERE hostname = ${hostname} AND state = ANY(${sql.array([...HOLDS_CLAIM], 'text')})
      AND NOT ${hasDrifted(driftedSince)}
  `);
  const held = await db.oneFirst(
    sql.type(z.object({ held: z.boolean() }))`SELECT hostname_is_held(${hostname}, ${driftedSince}) AS held`,
  );
  return { held, own };
}

/** Holds the row for the rest of the transaction, so that no other transaction moves it meanwhile. */
export const lockConnection = (tx: Tx, id: string): Promise<ConnectionRow | null> =>
  tx.maybeOne(sql.type(ConnectionRow)`SELECT ${connectionColumns} FROM connections WHERE id = ${id} FOR UPDATE`);

/**
 * Archives at once, whatever the workflow is doing: the claim is free when this commits. Removing what we wrote in the
 * customer's zone is the workflow's work, which the message tells it to do. The row must be locked.
 */
export async function archiveConnection(tx: Tx, locked: ConnectionRow, now: Date): Promise<ConnectionRow> {
  if (locked.state === 'archived') return locked;
  const moved = await transition(tx, locked, 'archive', { now, next_check_at: null, cleanup: 'pending' });
  if (moved.outcome !== 'moved') throw new Error('A locked connection was moved by another transaction.');
  await enqueue(tx, moved.row, 'archive');
  return moved.row;
}

export interface ConnectionFilter {
  environments: readonly Environment[];
  state?: State | undefined;
  hostname?: string | undefined;
  application_id?: string | undefined;
  external_id?: string | undefined;
}

export function listConnections(
  db: Queryable,
  { environments, ...filter }: ConnectionFilter,
  page: PageRequest,
): Promise<readonly ConnectionRow[]> {
  const equal = (['state', 'hostname', 'application_id', 'external_id'] as const).flatMap((column) =>
    filter[column] === undefined ? [] : [sql.fragment`${sql.identifier([column])} = ${filter[column]}`],
  );
  const conditions = [sql.fragment`environment = ANY(${sql.array([...environments], 'text')})`, ...equal];
  return db.any(sql.type(ConnectionRow)`
    SELECT ${connectionColumns} FROM connections WHERE ${sql.join(conditions, sql.fragment` AND `)} AND ${pageOf(page)}
  `);
}

const Touchable = z.object({ id: z.uuid(), tenant_id: z.uuid() });

/** An application's connections that still wait for something, so that a change may help them. */
export const listTouchable = (
  db: Queryable,
  applicationId: string,
): Promise<readonly { id: string; tenant_id: string }[]> =>
  db.any(sql.type(Touchable)`
    SELECT id, tenant_id FROM connections
    WHERE application_id = ${applicationId} AND state NOT IN ('live', 'failed', 'archived')
  `);

/**
 * Gives writes that were refused another try, because what they were refused for has changed: the application's policy,
 * or what the provider says of the credential.
 */
export async function forgetRefusals(db: Queryable, applicationId: string, credentialId: string | null): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE connections SET credential_id = NULL
    WHERE application_id = ${applicationId} AND setup_type = 'manual'
      AND state IN ('pending_ownership', 'verifying', 'verified', 'propagating', 'stalled')
      AND (${credentialId}::uuid IS NULL OR credential_id = ${credentialId})
  `);
}

/** The tenant's sandbox connections at one of these names, or below one of those. */
export const findSandboxConnections = (
  db: Queryable,
  { at, below }: { at: string[]; below: string[] },
): Promise<readonly { id: string; tenant_id: string }[]> =>
  db.any(sql.type(Touchable)`
    SELECT id, tenant_id FROM connections
    WHERE environment = 'test' AND state <> 'archived'
      AND (hostname = ANY(${sql.array(at, 'text')})
        OR EXISTS (SELECT FROM unnest(${sql.array(below, 'text')}) AS above
          WHERE right(hostname, length(above) + 1) = '.' || above))
  `);

/** For the operator, who sees every tenant's. Stuck are those that no workflow looks after. */
export const listForOperator = (
  db: Queryable,
  { stuck, state }: { stuck: boolean; state: string | null },
): Promise<readonly ConnectionRow[]> =>
  db.any(sql.type(ConnectionRow)`
    SELECT ${connectionColumns} FROM connections
    WHERE (${state}::text IS NULL OR state = ${state})
      AND (NOT ${stuck} OR ${isOverdue})
    ORDER BY created_at DESC, id DESC LIMIT 200
  `);

/** How many connections of all tenants are in each state that has any. */
export async function countByState(db: Queryable): Promise<Partial<Record<State, number>>> {
  const rows = await db.any(sql.type(z.object({ state: z.enum(STATES), count: z.number() }))`
    SELECT state, count(*) AS count FROM connections GROUP BY state
  `);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}
