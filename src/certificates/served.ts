import { isImported, type CertificateRow } from '../db/certificate/certificates.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { touchConnection } from '../db/connection/touches.ts';
import { remain } from '../db/connection/transitions.ts';
import type { Tx } from '../db/pool.ts';
import { shownChange } from '../domain/certificate/certificate.ts';
import { SERVING } from '../domain/connection/state-sets.ts';

/** Returns the row's changes for a certificate of ours that edges serve from now on. */
export const servedChange = ({ not_before, not_after, ca, serial, names, source }: CertificateRow, now: Date) =>
  shownChange(
    { notBefore: not_before, notAfter: not_after, ca, serial, names, source, imported: isImported(source) },
    now.getTime(),
  );

/**
 * Records that the served certificate of a live connection changed. Null: the edge obtains its own at the next
 * handshake, which the worker makes. Connections that are not live get theirs when they become live.
 */
export async function recordServed(
  tx: Tx,
  row: ConnectionRow,
  stored: CertificateRow | null,
  now: Date,
): Promise<void> {
  if (!SERVING.has(row.state)) return;
  if (stored === null) await remain(tx, row, { now, certificate_checked_at: null });
  else if (stored.serial !== row.certificate_serial)
    await remain(tx, row, { now, ...servedChange(stored, now), alsoNotify: ['ssl.issued'] });
  if (stored === null) await touchConnection(tx, row, now);
}
