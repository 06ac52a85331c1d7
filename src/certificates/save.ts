import { uuidv7 } from 'uuidv7';
import {
  chooseCertificate,
  removeCertificate,
  replaceCertificate,
  requestOf,
  saveRequest,
  type CertificateRow,
  type StoredSource,
} from '../db/certificate/certificates.ts';
import type { Tx } from '../db/pool.ts';
import { renewAt } from '../domain/certificate/certificate.ts';
import type { Vault } from '../vault/vault.ts';
import { certificatesIn, describe } from '../x509/certificate.ts';
import { newPrivateKey } from '../x509/keys.ts';
import { renewalId } from '../x509/renewal-id.ts';
import { pemOf, signingRequest } from '../x509/request.ts';
import { sealForEdges } from './for-edges.ts';
import { openKey, sealKey } from './keys.ts';

interface Owner {
  id: string;
  tenant_id: string;
  hostname: string;
}

interface NewCertificate {
  source: StoredSource;
  chain: string;
  key: string;
}

/** Saves a certificate with its key, encrypts it for every edge, and notifies the edges. */
export async function saveCertificate(
  tx: Tx,
  vault: Vault,
  connection: Owner,
  { source, chain, key }: NewCertificate,
  now: Date,
): Promise<CertificateRow> {
  const [certificate] = certificatesIn(chain);
  if (certificate === undefined) throw new Error('The chain contains no certificate.');
  const { names, serial, ca, notBefore, notAfter } = describe(certificate);
  const identity = { id: uuidv7(), tenant_id: connection.tenant_id, connection_id: connection.id };
  const row: CertificateRow = {
    ...identity,
    source,
    chain,
    names,
    serial,
    ca,
    not_before: notBefore,
    not_after: notAfter,
    renewal_id: source === 'ordered' ? renewalId(certificate) : null,
    renew_at: source === 'uploaded' ? null : renewAt({ notBefore, notAfter }),
    ask_renewal_at: source === 'ordered' ? now : null,
    ...sealKey(vault, key, identity),
    created_at: now,
  };
  if (source === 'ordered') await removeCertificate(tx, connection.id, 'edge');
  await replaceCertificate(tx, row);
  await sealForEdges(tx, row, key);
  await chooseCertificate(tx, connection.id, now);
  return row;
}

/** Deletes a certificate. Edges serve the next source from then on. Returns false if there was none. */
export async function dropCertificate(tx: Tx, connectionId: string, source: StoredSource, now: Date): Promise<boolean> {
  const wasThere = await removeCertificate(tx, connectionId, source);
  if (wasThere) await chooseCertificate(tx, connectionId, now);
  return wasThere;
}

/** Creates a private key that stays here, and returns the request to sign, as PEM. It replaces an earlier request. */
export async function requestSigning(tx: Tx, vault: Vault, connection: Owner, now: Date): Promise<string> {
  const key = await newPrivateKey();
  const identity = { id: uuidv7(), tenant_id: connection.tenant_id, connection_id: connection.id };
  await saveRequest(tx, { ...identity, ...sealKey(vault, key, identity), created_at: now });
  return pemOf('CERTIFICATE REQUEST', await signingRequest(key, [connection.hostname]));
}

/** Returns the private key of the connection's signing request; null if there is none. */
export async function requestedKey(tx: Tx, vault: Vault, connectionId: string): Promise<string | null> {
  const row = await requestOf(tx, connectionId);
  return row && openKey(vault, row);
}
