import type { Logger } from 'pino';
import { readSecretCopies } from '../db/edge/edge-secrets.ts';
import { bindEdge, readSealed } from '../db/edge/registered-edges.ts';
import type { CertificateFeed } from './certificate-feed.ts';
import type { ChangeKeys } from './database-source.ts';
import type { EdgeKey } from './edge-key.ts';

interface Parts {
  /** The token of `edges add`; undefined if the edge has none, and so gets no keys. */
  token: string | undefined;
  key: EdgeKey;
  certificates: CertificateFeed;
  log: Logger;
}

/** Reads keys in the database, for an agent that logs in there. The next release removes this. */
export function databaseKeys({ token, key, certificates, log }: Parts): ChangeKeys {
  /** Name of this edge at the control plane; null until its key pair is bound. */
  let name: string | null = null;
  return {
    /** Binds the key pair at the first connection; later ones confirm it. */
    async bind(client) {
      if (token === undefined) return;
      name = await bindEdge(client, token, key.publicKey);
      if (name === null)
        log.warn(
          'The control plane does not accept EDGE_TOKEN with this key pair, so this edge gets no keys. Run edges rekey.',
        );
    },
    async fetch(client, changes) {
      const edge = name;
      if (edge === null) return;
      await certificates.fetch(changes, {
        certificates: (ids) => readSealed(client, edge, ids),
        secrets: (ids) => readSecretCopies(client, edge, ids),
      });
    },
    applied: () => certificates.applied(),
  };
}
