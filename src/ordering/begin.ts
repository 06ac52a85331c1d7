import { uuidv7 } from 'uuidv7';
import { sealKey } from '../certificates/keys.ts';
import { addOrder } from '../db/certificate/acme-orders.ts';
import type { Tx } from '../db/pool.ts';
import type { Vault } from '../vault/vault.ts';
import { newPrivateKey } from '../x509/keys.ts';

interface NewOrder {
  directory: string;
  /** The certificate that it replaces, as the CA knows it. */
  replaces?: string | null;
  now: Date;
}

/** Orders a certificate for a connection, and starts the order's workflow. Returns false if one is in progress. */
export async function beginOrder(
  tx: Tx,
  vault: Vault,
  connection: { id: string; tenant_id: string; hostname: string },
  { directory, replaces = null, now }: NewOrder,
): Promise<boolean> {
  const identity = { id: uuidv7(), tenant_id: connection.tenant_id, connection_id: connection.id };
  const sealed = sealKey(vault, await newPrivateKey(), identity);
  return addOrder(tx, {
    ...identity,
    ...sealed,
    directory,
    names: [connection.hostname],
    replaces,
    created_at: now,
  });
}
