import { z } from 'zod';
import { ENDED, PROVED } from '../../domain/connection/state-sets.ts';
import { RECORD_TYPES, type DnsRecord } from '../../domain/record.ts';
import type { Successor } from '../../domain/zone/ledger.ts';
import { patchesOf } from '../../domain/zone/ledger-patches.ts';
import type { AddedRows, Layer, Ledger, LedgerChange, OwnedValue } from '../../domain/zone/ledger-rows.ts';
import { PURPOSES } from '../../domain/zone/plan.ts';
import { StoredDesiredRecord, StoredRecord, type ConnectionRow } from '../connection/connection-row.ts';
import { none, sql, type Pool, type Queryable, type Tx } from '../pool.ts';
import { inStates } from '../state-list.ts';
import { cutoverIsInProgress } from './cutovers.ts';
import { isOpen, saveChanges } from './ledger-changes.ts';

const StoredExtra = z.record(z.string(), z.unknown()).nullable();
const StoredLocation = z.object({
  credential_id: z.uuid(),
  provider: z.string(),
  zone_id: z.string(),
  zone_name: z.string(),
});
const StoredValue = StoredLocation.extend({
  id: z.uuid(),
  purpose: z.enum(PURPOSES),
  status: z.enum(['intended', 'standing']),
  at: z.coerce.date(),
  ...StoredRecord.shape,
  extra: StoredExtra,
  wildcard: z.string().nullable(),
});
const StoredLayer = StoredLocation.extend({
  id: z.number(),
  purpose: z.enum(PURPOSES),
  host: z.string(),
  records: z.array(
    StoredRecord.extend({
      type: z.enum([...RECORD_TYPES, 'OTHER']),
      id: z.string().nullable(),
      readOnly: z.boolean(),
      extra: StoredExtra,
    }),
  ),
  whole: z.boolean(),
});

const StoredLedger = z.object({ values: z.array(StoredValue), layers: z.array(StoredLayer) });

const valuesOf = (connectionId: string) => sql.fragment`
  SELECT id, purpose, credential_id, provider, zone_id, zone_name, host, type, value, ttl, priority, extra, wildcard, status, at
  FROM dns_ledger WHERE connection_id = ${connectionId} AND ${isOpen}`;

const layersOf = (connectionId: string) => sql.fragment`
  SELECT id, purpose, credential_id, provider, zone_id, zone_name, host, records, whole
  FROM dns_displaced WHERE connection_id = ${connectionId} AND status = 'displaced'`;

/** Returns every value of a connection that may exist in a zone, for any purpose, unconfirmed values included. */
export const ownedValues = (db: Queryable, connectionId: string): Promise<readonly OwnedValue[]> =>
  db.any(sql.type(StoredValue)`${valuesOf(connectionId)} ORDER BY id`);

/** Returns the layers of a connection that were not put back, oldest first, for any purpose. */
export const displacedLayers = (db: Queryable, connectionId: string): Promise<readonly Layer[]> =>
  db.any(sql.type(StoredLayer)`${layersOf(connectionId)} ORDER BY id`);

const rowsOf = (connectionId: string) => sql.fragment`
  (SELECT coalesce(json_agg(open ORDER BY id), '[]') FROM (${valuesOf(connectionId)}) AS open) AS values,
  (SELECT coalesce(json_agg(open ORDER BY id), '[]') FROM (${layersOf(connectionId)}) AS open) AS layers`;

/** Returns the open rows of a connection, values and layers, by one statement. */
export const readLedger = (db: Queryable, connectionId: string): Promise<Ledger> =>
  db.one(sql.type(StoredLedger)`SELECT ${rowsOf(connectionId)}`);

const StoredReading = StoredLedger.extend({ is_cut_over: z.boolean() });

/** The open rows of a connection, and whether a cutover in progress is the only writer of its records. */
export interface LedgerReading extends Ledger {
  is_cut_over: boolean;
}

const readForWrite = (db: Queryable, connectionId: string): Promise<LedgerReading> =>
  db.one(sql.type(StoredReading)`
    SELECT ${rowsOf(connectionId)},
      EXISTS (SELECT FROM cutovers WHERE connection_id = ${connectionId} AND ${cutoverIsInProgress}) AS is_cut_over
  `);

export interface LedgerDecision<T> {
  changes: readonly LedgerChange[];
  result: T;
}

/** The ledger of one connection. */
export interface LedgerStore {
  read(): Promise<LedgerReading>;
  /** Saves the changes of one decision, all or none. Rows that another process has closed meanwhile stay closed. */
  save(changes: readonly LedgerChange[]): Promise<AddedRows>;
  /** Reads, decides and saves in one transaction, for decisions that read or change other rows too. */
  update<T>(
    decide: (ledger: Ledger, tx: Tx) => LedgerDecision<T> | Promise<LedgerDecision<T>>,
  ): Promise<{ result: T; added: AddedRows }>;
}

type Owner = Pick<ConnectionRow, 'id' | 'tenant_id'>;

export const ledgerOf = (pool: Pool, owner: Owner): LedgerStore => ({
  read: () => readForWrite(pool, owner.id),
  save: (changes) => saveChanges(pool, owner, patchesOf(changes)),
  update: (decide) =>
    pool.transaction(async (tx) => {
      const { changes, result } = await decide(await readLedger(tx, owner.id), tx);
      return { result, added: await saveChanges(tx, owner, patchesOf(changes)) };
    }),
});

const StoredSuccessor = z.object({ id: z.uuid(), is_own: z.boolean(), desired_records: z.array(StoredDesiredRecord) });

/** Returns the connection that replaces an archived one: the application's own, or any tenant's that proved the hostname. */
export async function findSuccessor(db: Queryable, connectionId: string): Promise<Successor | null> {
  const found = await db.maybeOne(sql.type(StoredSuccessor)`
    SELECT successor.id, successor.desired_records, successor.application_id = archived.application_id AS is_own
    FROM connections AS archived JOIN connections AS successor ON successor.hostname = archived.hostname AND successor.id <> archived.id
      AND successor.serve = archived.serve
    WHERE archived.id = ${connectionId} AND NOT successor.state ${inStates(ENDED)}
      AND (successor.application_id = archived.application_id OR successor.state ${inStates(PROVED)})
    ORDER BY is_own DESC LIMIT 1
  `);
  return found && { ...found, values: await ownedValues(db, found.id) };
}

/** Returns the mail records that we wrote and that exist, for a check; nothing where there are none. */
export async function mailWritten(
  db: Queryable,
  connectionId: string,
): Promise<{ mail?: { zone: string; records: DnsRecord[] } }> {
  const values = (await ownedValues(db, connectionId)).filter(
    ({ purpose, status }) => purpose === 'email' && status === 'standing',
  );
  const [first] = values;
  if (first === undefined) return {};
  const here = values.filter(({ zone_name }) => zone_name === first.zone_name);
  const records = here.map(({ host, type, value, ttl, priority }) => ({ host, type, value, ttl, priority }));
  return { mail: { zone: first.zone_name, records } };
}

/** Moves mail records of archived connections to this one, which must be able to change and undo them. */
export async function adoptMailValues(
  db: Queryable,
  row: Pick<ConnectionRow, 'id' | 'application_id'>,
  domain: string,
): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE dns_ledger SET connection_id = ${row.id}
    WHERE id IN (
      SELECT DISTINCT ON (zone_id, host, type, value, priority) dns_ledger.id
      FROM dns_ledger JOIN connections AS former ON former.id = dns_ledger.connection_id
      WHERE former.application_id = ${row.application_id} AND former.state = 'archived'
        AND purpose = 'email' AND ${isOpen} AND (host = ${domain} OR right(host, length(${domain}) + 1) = '.' || ${domain})
        AND NOT EXISTS (
          SELECT FROM dns_ledger AS own
          WHERE own.connection_id = ${row.id} AND own.purpose = 'email' AND own.status IN ('intended', 'standing')
            AND (own.zone_id, own.host, own.type, own.value) = (dns_ledger.zone_id, dns_ledger.host, dns_ledger.type, dns_ledger.value)
            AND own.priority IS NOT DISTINCT FROM dns_ledger.priority))
  `);
}
