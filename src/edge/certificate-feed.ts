import type { Client } from 'pg';
import type { Logger } from 'pino';
import { bindEdge, readSealed } from '../db/edge/registered-edges.ts';
import { isWildcard } from '../domain/certificate/dns-validation.ts';
import { isServed, type AdmissionChange, type NameChange } from '../domain/edge/admission.ts';
import type { Changeover } from './changeover.ts';
import type { EdgeKey } from './edge-key.ts';
import type { KeyStore } from './key-store.ts';

interface Parts {
  /** The token of `edges add`; undefined if the edge has none, and so gets no keys. */
  token: string | undefined;
  key: EdgeKey;
  store: KeyStore;
  /** Returns the certificate that a hostname had before a change. */
  certificateOf(hostname: string): string | null;
  /** Absent if Caddy's admin API is off. */
  changeover: Pick<Changeover, 'request'> | undefined;
  log: Logger;
}

/** Ids that are read from the database together. */
const PAGE = 500;
/** Most certificates that are decrypted when they arrive together. */
const DECRYPTED_TOGETHER = 50;

/** Fetches the keys that changes name, before the changes are applied and acknowledged, so never during a handshake. */
export class CertificateFeed {
  private readonly parts: Parts;
  /** Name of this edge at the control plane; null until its key pair is bound. */
  private name: string | null = null;
  /** Hostnames that Caddy serves with its own certificate until they are changed over. */
  private readonly changing = new Set<string>();

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** Binds the key pair at the first connection; later ones confirm it. */
  async bind(client: Client): Promise<void> {
    const { token, key, log } = this.parts;
    if (token === undefined) return;
    this.name = await bindEdge(client, token, key.publicKey);
    if (this.name === null)
      log.warn(
        'The control plane does not accept EDGE_TOKEN with this key pair, so this edge gets no keys. Run edges rekey.',
      );
  }

  applied(): void {
    if (this.changing.size === 0) return;
    this.parts.changeover?.request([...this.changing]);
    this.changing.clear();
  }

  async fetch(client: Client, changes: readonly AdmissionChange[]): Promise<void> {
    const { name } = this;
    const { store, certificateOf } = this.parts;
    if (name === null) return;
    const withOurs = changes.filter((change) => 'hostname' in change && change.certificate_id !== null) as NameChange[];
    // Caddy may hold a certificate of its own for a served hostname that had none of ours and points here; never for a wildcard.
    for (const { hostname, standing } of withOurs)
      if (isServed(standing) && standing !== 'ready' && !isWildcard(hostname) && certificateOf(hostname) === null)
        this.changing.add(hostname);
    const named = withOurs.flatMap(({ certificate_id }) => certificate_id ?? []);
    const missing = [...new Set(named)].filter((id) => !store.has(id));
    for (let from = 0; from < missing.length; from += PAGE)
      for (const [id, sealed] of await readSealed(client, name, missing.slice(from, from + PAGE)))
        await store.save(id, sealed);
    // Decrypts new certificates now, so that the first visitor does not wait. A new edge, which gets all of them, does not.
    if (missing.length <= DECRYPTED_TOGETHER) for (const id of missing) await store.get(id);
  }
}
