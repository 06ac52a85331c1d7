import { certificateById, chooseCertificate, removeLeaving } from '../db/certificate/certificates.ts';
import { withEndedCertificate } from '../db/certificate/due-certificates.ts';
import { lockConnection } from '../db/connection/connections.ts';
import type { Pool, Tx } from '../db/pool.ts';
import { recordServed } from './served.ts';

const ENDED_TOGETHER = 200;

/** Returns connections whose certificate has ended to their next source. Edges stop serving it by themselves. */
export async function replaceEnded(pool: Pool, now: Date): Promise<number> {
  const ended = await withEndedCertificate(pool, now, ENDED_TOGETHER);
  for (const id of ended) await pool.transaction((tx) => serveNext(tx, id, now));
  return ended.length;
}

/** Deletes an upload that the tenant deleted while its successor was being ordered, once the order has ended. */
export const replaceLeaving = (pool: Pool, connectionId: string, now: Date): Promise<void> =>
  pool.transaction(async (tx) => {
    if (await removeLeaving(tx, connectionId)) await serveNext(tx, connectionId, now);
  });

async function serveNext(tx: Tx, connectionId: string, now: Date): Promise<void> {
  const row = await lockConnection(tx, connectionId);
  const chosen = await chooseCertificate(tx, connectionId, now);
  if (row !== null) await recordServed(tx, row, chosen === null ? null : await certificateById(tx, chosen), now);
}
