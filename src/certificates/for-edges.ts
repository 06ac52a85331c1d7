import { CompactEncrypt, importJWK } from 'jose';
import { certificateById, chooseCertificate, type CertificateRow } from '../db/certificate/certificates.ts';
import { boundEdges, saveSealed, unsealed, type PublicKey } from '../db/edge/registered-edges.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import type { Vault } from '../vault/vault.ts';
import { openKey } from './keys.ts';

/** A certificate as an edge gets it. */
export interface EdgeCertificate {
  id: string;
  chain: string;
  key: string;
}

/** Encrypts the certificate with its key for every edge that can read it, before any edge is notified. */
export async function sealForEdges(db: Queryable, row: CertificateRow, key: string): Promise<void> {
  for (const edge of await boundEdges(db))
    await saveSealed(db, edge.name, row.id, await encryptFor(edge.public_key, asSent(row, key)));
}

const asSent = ({ id, chain }: CertificateRow, key: string): EdgeCertificate => ({ id, chain, key });

/** Encrypts a value for one edge (JWE, RFC 7516). */
export async function encryptFor(publicKey: PublicKey, plain: object): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(plain)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
    .encrypt(await importJWK(publicKey, 'ECDH-ES'));
}

const SEALED_AT_ONCE = 200;

/** Encrypts certificates for edges that cannot read them yet, and notifies the edges. Returns how many. */
export async function sealMissing(pool: Pool, vault: Vault, now: Date): Promise<number> {
  const missing = await unsealed(pool, SEALED_AT_ONCE);
  for (const [id, ofOne] of Map.groupBy(missing, ({ certificate_id }) => certificate_id)) {
    const row = await certificateById(pool, id);
    if (row === null) continue;
    await sealForEdges(pool, row, openKey(vault, row));
    for (const { connection_id } of ofOne.slice(0, 1)) await chooseCertificate(pool, connection_id, now, true);
  }
  return missing.length;
}
