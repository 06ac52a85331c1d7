import type { ConnectionError } from './connection.ts';
import type { Finding } from './finding.ts';

export type CertificateOutcome =
  | { outcome: 'issued'; notAfter: Date; ca: string }
  /** There is no edge to hold a certificate: the connection is live without one. */
  | { outcome: 'not_needed' }
  | { outcome: 'blocked'; errorCode: ConnectionError; sentence: string; findings: Finding[]; retryAfterMs: number };

/** Whoever can bring a certificate into being: the edge by a handshake, or the sandbox. `now` is Temporal's time. */
export interface Certificates {
  obtain(hostname: string, now: number, signal: AbortSignal): Promise<CertificateOutcome>;
}
