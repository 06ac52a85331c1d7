import { readFile } from 'node:fs/promises';
import {
  connect,
  createSecureContext,
  rootCertificates,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { ShownCertificate } from '../domain/certificate/certificate.ts';

/** Where the edge speaks TLS, and which authorities to trust there, if not the usual ones alone. */
export interface TlsAddress {
  host: string;
  port: number;
  trust: Trust;
}

/** Rejects while the extra roots cannot be read. */
export type Trust = () => Promise<SecureContext | null>;

/**
 * Trusts the usual authorities and the roots in a file. The file is read at every handshake, because an edge makes its root
 * when it first starts and makes another when its storage was lost. The context is made once for each content: reading all
 * the usual authorities takes longer than a handshake.
 */
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
  /** `problem` says why a browser would not accept what is shown; null when it would. */
  | { outcome: 'shown'; certificate: ShownCertificate; problem: string | null }
  /** Nothing listens there, or nothing leads there. */
  | { outcome: 'unreachable'; reason: string }
  /** The edge ended the handshake at once: it was not allowed, or not able, to ask about the name. */
  | { outcome: 'refused'; reason: string }
  /** The edge took the handshake and did not finish it. */
  | { outcome: 'unfinished' };

/** One TLS handshake for a hostname. Where the edge has no certificate yet, this is what makes it obtain one. */
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
    // What is shown is judged below, so that a bad certificate can be described and not only refused.
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
    },
    problem: socket.authorized ? null : String(socket.authorizationError),
  };
}

/** A reset after a while is how the edge gives up on an authority; an alert is how it says no. */
function failureOf({ code = 'unknown' }: NodeJS.ErrnoException, isConnected: boolean): Handshake {
  if (!isConnected) return { outcome: 'unreachable', reason: code };
  if (code.startsWith('ERR_SSL')) return { outcome: 'refused', reason: code };
  return { outcome: 'unfinished' };
}
