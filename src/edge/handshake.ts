import { readFile } from 'node:fs/promises';
import {
  connect,
  createSecureContext,
  rootCertificates,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { dnsNames } from '../x509/certificate.ts';
import type { PresentedCertificate } from '../domain/certificate/certificate.ts';

/** TLS address of the edge, and its certificate authorities. */
export interface TlsAddress {
  host: string;
  port: number;
  trust: Trust;
}

/** Rejects if the additional roots cannot be read. */
export type Trust = () => Promise<SecureContext | null>;

/** Trusts the system's CAs and the roots in a file, which is read each time: an edge creates it at its first start. */
export function trustFile(path: string): Trust {
  let [known, context]: [string | undefined, SecureContext | null] = [undefined, null];
  return async () => {
    const roots = await readFile(path, 'utf8');
    if (roots !== known)
      context = roots.trim() === '' ? null : createSecureContext({ ca: [...rootCertificates, roots] });
    known = roots;
    return context;
  };
}

export const usualTrust: Trust = () => Promise.resolve(null);

export type Handshake =
  /** `problem` explains why a browser would not accept the certificate; null if it would. */
  | { outcome: 'shown'; certificate: PresentedCertificate; problem: string | null }
  /** Nothing listens there, or there is no route. */
  | { outcome: 'unreachable'; reason: string }
  /** The edge ended the handshake immediately: it was not allowed, or not able, to ask about the hostname. */
  | { outcome: 'refused'; reason: string }
  /** The edge accepted the handshake and did not complete it. */
  | { outcome: 'unfinished' };

/** Makes one TLS handshake for a hostname, which makes the edge obtain a missing certificate. */
export async function shakeHands(
  { host, port, trust }: TlsAddress,
  hostname: string,
  limitMs: number,
  signal: AbortSignal,
): Promise<Handshake> {
  const secureContext = await trust().catch(() => undefined);
  if (secureContext === undefined) return { outcome: 'unreachable', reason: 'EDGE_CA_FILE cannot be read' };
  const { promise, resolve } = Promise.withResolvers<Handshake>();
  const socket = connect({
    host,
    port,
    servername: hostname,
    // The certificate is checked below, so that a bad one can be described.
    rejectUnauthorized: false,
    ...(secureContext && { secureContext }),
  });
  let isConnected = false;
  socket.once('connect', () => (isConnected = true));
  socket.once('secureConnect', () => resolve(shownBy(socket)));
  socket.once('error', (error: NodeJS.ErrnoException) => resolve(failureOf(error, isConnected)));
  socket.once('close', () => resolve({ outcome: 'unfinished' }));
  const limit = setTimeout(
    () => resolve(isConnected ? { outcome: 'unfinished' } : { outcome: 'unreachable', reason: 'no answer' }),
    limitMs,
  );
  const abort = () => resolve({ outcome: 'unfinished' });
  signal.addEventListener('abort', abort, { once: true });
  return promise.finally(() => {
    clearTimeout(limit);
    signal.removeEventListener('abort', abort);
    socket.destroy();
  });
}

function shownBy(socket: TLSSocket): Handshake {
  const peer: Partial<PeerCertificate> = socket.getPeerCertificate();
  if (peer.valid_to === undefined || peer.valid_from === undefined) return { outcome: 'unfinished' };
  const { O: organization, CN: commonName } = { ...peer.issuer };
  return {
    outcome: 'shown',
    certificate: {
      notBefore: new Date(peer.valid_from),
      notAfter: new Date(peer.valid_to),
      ca: String(organization ?? commonName ?? 'unknown'),
      serial: peer.serialNumber ?? '',
      names: dnsNames(peer.subjectaltname),
    },
    problem: socket.authorized ? null : String(socket.authorizationError),
  };
}

/** Classifies a failure. The edge resets a connection when it stops waiting for a CA, and sends an alert to refuse. */
function failureOf({ code = 'unknown' }: NodeJS.ErrnoException, isConnected: boolean): Handshake {
  if (!isConnected) return { outcome: 'unreachable', reason: code };
  if (code.startsWith('ERR_SSL')) return { outcome: 'refused', reason: code };
  return { outcome: 'unfinished' };
}
