import { certificateById, chooseCertificate } from '../db/certificate/certificates.ts';
import { withEndedCertificate } from '../db/certificate/due-certificates.ts';
import { lockConnection } from '../db/connection/connections.ts';
import type { Pool } from '../db/pool.ts';
import { recordServed } from './served.ts';

const ENDED_TOGETHER = 200;

/** Returns connections whose certificate has ended to their next source. Edges stop serving it by themselves. */
export async function replaceEnded(pool: Pool, now: Date): Promise<number> {
  const ended = await withEndedCertificate(pool, now, ENDED_TOGETHER);
  for (const id of ended)
    await pool.transaction(async (tx) => {
      const row = await lockConnection(tx, id);
      const chosen = await chooseCertificate(tx, id, now);
      if (row !== null) await recordServed(tx, row, chosen === null ? null : await certificateById(tx, chosen), now);
    });
  return ended.length;
}
