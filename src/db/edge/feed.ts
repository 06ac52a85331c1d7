import type { Client, Pool as PgPool } from 'pg';
import { z } from 'zod';
import type { AdmissionChange } from '../../domain/edge/admission.ts';
import {
  ADMISSION_CHANNEL,
  NAME_COLUMNS,
  nameChange,
  ORIGIN_COLUMNS,
  originChange,
  type NameRow,
  type OriginRow,
} from './admissions.ts';

const PAGE = 10_000;

/** Channel on which an API process passes on what an edge sent to it and not to the process that feeds the edge. */
export const EDGE_ACK_CHANNEL = 'edge_acks';

/** Position in the order of changes: every transaction below `after` has ended. */
const Position = z.object({
  /** Incarnation of the database: positions of another one mean nothing. */
  epoch: z.string(),
  after: z.string(),
});
export type Position = z.infer<typeof Position>;

/**
 * Reads the present position: every transaction below the oldest running one has ended. The epoch changes with the
 * cluster, its history (the timeline) and the database, because sequences may have gone back then.
 */
export async function readPosition(db: Client | PgPool): Promise<Position> {
  const { rows } = await db.query({
    name: 'read-position',
    text: `SELECT concat_ws('-', system_identifier, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), oid) AS epoch,
                  pg_snapshot_xmin(pg_current_snapshot())::text AS after
           FROM pg_control_system(), pg_database WHERE datname = current_database()`,
  });
  return Position.parse(rows[0]);
}

/** Reads the rows that transactions from this one on have changed, in pages. */
export async function readSince(
  db: PgPool,
  after: string,
  take: (changes: readonly AdmissionChange[]) => Promise<void>,
): Promise<void> {
  const origins = await db.query<OriginRow>({
    rowMode: 'array',
    name: 'read-origins-since',
    text: `SELECT ${ORIGIN_COLUMNS} FROM admission_origins WHERE changed_in >= $1::text::xid8`,
    values: [after],
  });
  if (origins.rows.length > 0) await take(origins.rows.map(originChange));
  for (let last: readonly [string, string] = [after, '']; ;) {
    const { rows } = await db.query<[...NameRow, string]>({
      rowMode: 'array',
      name: 'read-names-since',
      text: `SELECT ${NAME_COLUMNS}, changed_in::text AS changed FROM admissions
             WHERE (changed_in, hostname) > ($1::text::xid8, $2) ORDER BY admissions.changed_in, hostname LIMIT ${PAGE}`,
      values: [...last],
    });
    if (rows.length > 0) await take(rows.map((row) => nameChange(row.slice(0, -1) as NameRow)));
    const end = rows.at(-1);
    if (end === undefined || rows.length < PAGE) return;
    last = [end[end.length - 1] as string, end[0]];
  }
}

/** Returns the connection of each certificate that these hostnames use. */
export async function ownersOf(db: Client | PgPool, hostnames: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await db.query<{ certificate_id: string; connection_id: string }>({
    name: 'owners-of-certificates',
    text: 'SELECT certificate_id, connection_id FROM admissions WHERE hostname = ANY($1) AND certificate_id IS NOT NULL',
    values: [hostnames],
  });
  return new Map(rows.map(({ certificate_id, connection_id }) => [certificate_id, connection_id]));
}

const Sealed = z.array(z.object({ certificate_id: z.uuid(), sealed: z.string() }));

/** Reads the certificates in use of these connections, encrypted for this edge. */
export async function readSealedOf(db: PgPool, edge: string, connectionIds: readonly string[]) {
  const { rows } = await db.query({
    name: 'read-sealed-of',
    text: `SELECT certificate_id, sealed FROM edge_certificates JOIN admissions USING (certificate_id)
           WHERE connection_id = ANY($2) AND edge = $1`,
    values: [edge, connectionIds],
  });
  return Sealed.parse(rows);
}

const Registered = z.object({ name: z.string(), token_hash: z.string(), draining: z.boolean() });
export type RegisteredToken = z.infer<typeof Registered>;

/** Returns the edges of these names whose token is valid. */
export async function readRegistered(db: PgPool, names: readonly string[]): Promise<RegisteredToken[]> {
  const { rows } = await db.query({
    name: 'read-registered',
    text: `SELECT name, encode(token_hash, 'hex') AS token_hash, draining_at IS NOT NULL AS draining
           FROM registered_edges WHERE name = ANY($1) AND revoked_at IS NULL`,
    values: [names],
  });
  return z.array(Registered).parse(rows);
}

export interface FedEdge {
  id: string;
  name: string;
  staleForMs: number;
}

/** Registers an edge that begins to follow the feed. Another name takes an id over only when its edge is gone. */
export async function registerFedEdge(db: PgPool, { id, name, staleForMs }: FedEdge, epoch: string): Promise<void> {
  await db.query({
    name: 'register-fed-edge',
    text: `INSERT INTO edges (id, name, epoch, stale_ms, registered_at, heard_at)
           VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp())
           ON CONFLICT (id) DO UPDATE SET name = $2, epoch = $3, stale_ms = $4, heard_at = clock_timestamp()
           WHERE edges.name = $2 OR coalesce(edges.leased_until, edges.heard_at + interval '3 seconds') < clock_timestamp()`,
    values: [id, name, epoch, staleForMs],
  });
}

export interface FedState {
  id: string;
  name: string;
  /** Time for which the edge is still trusted. */
  leaseMs: number;
  position: string | null;
  lagMs: number | null;
}

/** Records that edges are connected, all together. */
export async function recordFed(db: PgPool, states: readonly FedState[]): Promise<void> {
  await db.query({
    name: 'record-fed',
    text: `UPDATE edges SET
             heard_at = clock_timestamp(),
             leased_until = clock_timestamp() + state.lease_ms * interval '1 millisecond',
             position = coalesce(state.position::xid8, edges.position),
             lag_ms = coalesce(state.lag_ms, edges.lag_ms)
           FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::text[], $5::int8[])
             AS state (id, name, lease_ms, position, lag_ms)
           WHERE edges.id = state.id AND edges.name = state.name`,
    values: [
      states.map(({ id }) => id),
      states.map(({ name }) => name),
      states.map(({ leaseMs }) => leaseMs),
      states.map(({ position }) => position),
      states.map(({ lagMs }) => lagMs),
    ],
  });
}

export async function recordStatus(
  db: PgPool,
  { id, name }: Omit<FedEdge, 'staleForMs'>,
  status: { version: string; names: number; certificates: number; idleMs: number },
): Promise<void> {
  const { version, names, certificates, idleMs } = status;
  await db.query({
    name: 'record-status',
    text: 'UPDATE edges SET version = $3, names = $4, certificates = $5, idle_ms = $6 WHERE id = $1 AND name = $2',
    values: [id, name, version, names, certificates, idleMs],
  });
}

/** Passes an edge's message on to the process that feeds it. */
export async function passOn(db: PgPool, message: object): Promise<void> {
  await db.query({
    name: 'pass-on',
    text: 'SELECT pg_notify($1, $2)',
    values: [EDGE_ACK_CHANNEL, JSON.stringify(message)],
  });
}

/** Sends a marker through the queue of notifications, which are in the order of commits: when it arrives, all earlier ones have. */
export async function sendMarker(client: Client, marker: string): Promise<void> {
  await client.query({
    name: 'send-marker',
    text: 'SELECT pg_notify($1, $2)',
    values: [ADMISSION_CHANNEL, JSON.stringify({ marker })],
  });
}
