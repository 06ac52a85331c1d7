import type { KeyObject } from 'node:crypto';
import { isWildcard } from '../domain/certificate/dns-validation.ts';
import { isServed, type AdmissionChange, type NameChange } from '../domain/edge/admission.ts';
import type { Changeover } from './changeover.ts';
import type { KeyStore } from './key-store.ts';

interface Parts {
  store: KeyStore;
  signing: KeyStore<KeyObject>;
  /** Returns the certificate that a hostname had before a change. */
  certificateOf(hostname: string): string | null;
  /** Absent if Caddy's admin API is off. */
  changeover: Pick<Changeover, 'request'> | undefined;
}

type SealedReader = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** Reads what is encrypted for this edge, by the ids of certificates or of secrets. */
export interface SealedReaders {
  certificates: SealedReader;
  secrets: SealedReader;
}

/** Ids that are read together. The feed answers for at most a hundred. */
const PAGE = 100;
/** Most keys of a kind that are decrypted when they arrive together. */
const DECRYPTED_TOGETHER = 50;

/** Fetches the keys that changes name, before the changes are applied and acknowledged, so never during a handshake. */
export class CertificateFeed {
  private readonly parts: Parts;
  /** Hostnames that Caddy serves with its own certificate until they are changed over. */
  private readonly changing = new Set<string>();

  constructor(parts: Parts) {
    this.parts = parts;
  }

  applied(): void {
    if (this.changing.size === 0) return;
    this.parts.changeover?.request([...this.changing]);
    this.changing.clear();
  }

  async fetch(changes: readonly AdmissionChange[], read: SealedReaders): Promise<void> {
    const { store, signing, certificateOf } = this.parts;
    const withOurs = changes.filter((change) => 'hostname' in change && change.certificate_id !== null) as NameChange[];
    // Caddy may hold a certificate of its own for a served hostname that had none of ours and points here; never for a wildcard.
    for (const { hostname, standing } of withOurs)
      if (isServed(standing) && standing !== 'ready' && !isWildcard(hostname) && certificateOf(hostname) === null)
        this.changing.add(hostname);
    const certificates = withOurs.flatMap(({ certificate_id }) => certificate_id ?? []);
    await fetchMissing(store, certificates, read.certificates);
    const secrets = changes.flatMap((change) => ('hostname' in change ? [] : change.secrets.map(({ id }) => id)));
    await fetchMissing(signing, secrets, read.secrets);
  }
}

async function fetchMissing(
  store: Pick<KeyStore<unknown>, 'has' | 'save' | 'get'>,
  named: readonly string[],
  read: SealedReader,
): Promise<void> {
  const missing = [...new Set(named)].filter((id) => !store.has(id));
  for (let from = 0; from < missing.length; from += PAGE)
    for (const [id, sealed] of await read(missing.slice(from, from + PAGE))) await store.save(id, sealed);
  // Decrypts new keys now, so that the first visitor does not wait. A new edge, which gets all of them, does not.
  if (missing.length <= DECRYPTED_TOGETHER) for (const id of missing) await store.get(id);
}
