import { saveCertificate } from '../certificates/save.ts';
import { recordServed } from '../certificates/served.ts';
import { clearFailure, saveFailure } from '../db/certificate/acme-failures.ts';
import { endOrder, type AcmeOrderRow } from '../db/certificate/acme-orders.ts';
import { ownAccount, settleOrder, untilNextTry } from '../db/certificate/certificate-orders.ts';
import { lockConnection } from '../db/connection/connections.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { remain } from '../db/connection/transitions.ts';
import { enqueue } from '../db/outbox.ts';
import type { Pool } from '../db/pool.ts';
import { PROVED, RECORDS_SEEN, SERVING } from '../domain/connection/state-sets.ts';
import { untilEveryCopyKnows } from '../edge/barrier.ts';
import type { Vault } from '../vault/vault.ts';
import type { OrderFailed } from './failure.ts';

/** Saves a certificate and hands it to the edges. */
export async function saveIssued(
  { pool, vault }: { pool: Pool; vault: Vault },
  order: AcmeOrderRow,
  { chain, key }: { chain: string; key: string },
  now: number,
): Promise<void> {
  const at = new Date(now);
  await pool.transaction(async (tx) => {
    const row = await lockConnection(tx, order.connection_id);
    await endOrder(tx, order.id, 'issued');
    if (row === null || !PROVED.has(row.state)) return; // it was archived in this moment
    const saved = await saveCertificate(tx, vault, row, { source: 'ordered', chain, key }, at);
    await clearFailure(tx, row.id);
    await recordServed(tx, row, saved, at);
    const pointsHere = RECORDS_SEEN.has(row.state) || SERVING.has(row.state);
    if (row.before_dns && !pointsHere)
      await remain(tx, row, { now: at, ready_at: row.ready_at ?? at, phase_started_at: at });
  });
  await settleOrder(pool, order.id, 'issued');
}

/** Wakes the connection once every edge in reach serves the certificate: its records may change now. */
export async function announceReady(pool: Pool, { connection_id }: AcmeOrderRow, now: number): Promise<void> {
  await untilEveryCopyKnows(pool, { connectionId: connection_id });
  await pool.transaction(async (tx) => {
    const row = await lockConnection(tx, connection_id);
    if (row === null || !PROVED.has(row.state)) return;
    if (row.ready_at !== null && !row.ready_to_point)
      await remain(tx, row, { now: new Date(now), ready_to_point: true, error_code: null });
    await enqueue(tx, row, 'touch');
  });
}

/** Saves why an order failed. The next one waits longer after each failure in a row. */
export async function saveFailed(
  pool: Pool,
  order: AcmeOrderRow,
  row: ConnectionRow,
  { finding, fallsBack }: OrderFailed,
  now: number,
): Promise<void> {
  await settleOrder(pool, order.id, 'failed');
  const ledgerOrder = { hostname: row.hostname, registeredDomain: '', account: ownAccount(order.directory) };
  const retry_at = new Date(now + (await untilNextTry(pool, ledgerOrder, now)));
  await pool.transaction(async (tx) => {
    await endOrder(tx, order.id, 'failed');
    await saveFailure(tx, row, { retry_at, falls_back: fallsBack, finding }, new Date(now));
    await enqueue(tx, row, 'touch');
  });
}
