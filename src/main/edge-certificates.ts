import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { ConfigError, type Config } from '../config.ts';
import { CertificateAnswers, type CertificateTable } from '../edge/certificate-answers.ts';
import { startCertificateListener } from '../edge/certificate-listener.ts';
import { readEdgeKey, type EdgeKey } from '../edge/edge-key.ts';
import { KeyStore, signingKey, usableCertificate } from '../edge/key-store.ts';
import { readSegment } from '../edge/segment.ts';
import type { Logger } from '../log.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Key pair, certificates and signing keys of this edge, which its agent and its second answerer share. */
export interface EdgeCertificates {
  key: EdgeKey;
  store: KeyStore;
  signing: KeyStore<KeyObject>;
}

export async function openEdgeCertificates(config: Config, folder: string, log: Logger): Promise<EdgeCertificates> {
  if (config.EDGE_KEY_FILE === undefined && !config.isDevelopment)
    log.warn('EDGE_KEY_FILE is not set, so the key pair of this edge is kept next to the keys that it protects.');
  const key = await readEdgeKey(config.EDGE_KEY_FILE ?? join(folder, 'edge.key'));
  return {
    key,
    store: await KeyStore.open(join(folder, 'certificates'), key.privateKey, usableCertificate),
    signing: await KeyStore.open(join(folder, 'signing'), key.privateKey, signingKey),
  };
}

/** Answers Caddy's questions for certificates on a loopback port of their own, if Caddy was started to ask them. */
export async function answerCertificates(
  { EDGE_CERT_SEGMENT_FILE: segmentFile, EDGE_CERT_HOST: host }: Config,
  port: number,
  table: CertificateTable,
  store: KeyStore,
  lifecycle: Lifecycle,
): Promise<CertificateAnswers> {
  const answers = new CertificateAnswers(table, store);
  if (segmentFile !== undefined) {
    const segment = await readSegment(segmentFile);
    if (segment === undefined)
      throw new ConfigError(`EDGE_CERT_SEGMENT_FILE: ${segmentFile} has no secret path. Caddy's start creates it.`);
    lifecycle.add('certificates', await startCertificateListener(answers, { host, port, segment }));
  }
  return answers;
}
