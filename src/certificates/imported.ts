import {
  certificateById,
  certificateOf,
  chooseCertificate,
  removeCertificate,
} from '../db/certificate/certificates.ts';
import { importedDue } from '../db/certificate/due-certificates.ts';
import { lockConnection } from '../db/connection/connections.ts';
import { remain } from '../db/connection/transitions.ts';
import type { Pool, Tx } from '../db/pool.ts';
import { UNPROVED } from '../domain/connection/state-sets.ts';
import type { Vault } from '../vault/vault.ts';
import { describe } from '../x509/certificate.ts';
import { saveCertificate } from './save.ts';
import { recordServed } from './served.ts';
import { judgeUpload } from './upload.ts';

/** A certificate that another server obtained, with its key, as PEM. */
export interface ForeignCertificate {
  chain: string;
  key: string;
}

export type JudgedImport = { outcome: 'accepted'; chain: string; notAfter: Date } | { outcome: 'refused'; why: string };

/**
 * Decides whether a certificate is taken over for a hostname. Other names in it have no effect. Visitors of the old server
 * trust it or not, and nothing changes for them, so its root does not matter.
 */
export function judgeImport(hostname: string, { chain, key }: ForeignCertificate, now: Date): JudgedImport {
  const judged = judgeUpload({ hostname, chain, privateKey: key }, null, now);
  if (judged.outcome === 'refused')
    return { outcome: 'refused', why: judged.problems.map(({ message }) => message).join(' ') };
  return { outcome: 'accepted', chain: judged.chain, notAfter: describe(judged.certificate).notAfter };
}

/**
 * Saves a certificate for a connection whose hostname is not proved yet. With the proof, edges get it and forward requests
 * before the DNS points there, so that the move loses none. A longer-lived certificate replaces an earlier one. Returns
 * whether it is here.
 */
export async function takeOver(
  tx: Tx,
  vault: Vault,
  { connectionId, chain, key, notAfter }: ForeignCertificate & { connectionId: string; notAfter: Date },
  now: Date,
): Promise<boolean> {
  const row = await lockConnection(tx, connectionId);
  if (row === null || !row.serve || !UNPROVED.has(row.state)) return false;
  const known = await certificateOf(tx, connectionId, 'edge');
  if (known === null || known.not_after < notAfter)
    await saveCertificate(tx, vault, row, { source: 'edge', chain, key }, now);
  if (row.ready_at === null) await remain(tx, row, { now, ready_at: now, ready_to_point: true });
  return true;
}

/** Orders by edges that this task starts at most in one round, because they are counted a moment later. */
const RELEASED_TOGETHER = 10;

/**
 * Deletes imported certificates that are due for renewal, so that the edge obtains its own. A hostname keeps its imported
 * certificate while the limits of the certificate authority leave no room. Returns how many were deleted.
 */
export async function releaseImported(
  pool: Pool,
  hasRoom: (hostname: string) => Promise<boolean>,
  now: Date,
): Promise<number> {
  let released = 0;
  for (const { id, hostname } of await importedDue(pool, now, RELEASED_TOGETHER)) {
    if (!(await hasRoom(hostname))) continue;
    await pool.transaction((tx) => release(tx, id, now));
    released++;
  }
  return released;
}

async function release(tx: Tx, connectionId: string, now: Date): Promise<void> {
  const row = await lockConnection(tx, connectionId);
  await removeCertificate(tx, connectionId, 'edge');
  const chosen = await chooseCertificate(tx, connectionId, now);
  if (row !== null) await recordServed(tx, row, chosen === null ? null : await certificateById(tx, chosen), now);
}
