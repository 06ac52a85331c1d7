import type { Admittance, Standing } from '../domain/edge/admission.ts';
import type { KeyStore, UsableCertificate } from './key-store.ts';

/** Admissions in which a hostname may be served with a certificate of ours. */
const SERVED_WITH_OURS: ReadonlySet<Standing> = new Set(['held', 'ready', 'pointing', 'serving', 'redirecting']);

export interface CertificateTable {
  lookup(hostname: string): Admittance | Promise<Admittance>;
  /** Returns the id of the certificate that the hostname's connection uses, or the wildcard above it. */
  certificateOf(hostname: string): string | null;
}

/**
 * Finds the certificate for a handshake. Caddy serves any answer, an expired certificate or one for another
 * hostname too, so admission, validity and hostname are checked for each answer. The connection decides which
 * certificate it is, never the names inside.
 */
export class CertificateAnswers {
  private readonly table: CertificateTable;
  private readonly store: KeyStore;
  private readonly now: () => number;

  constructor(table: CertificateTable, store: KeyStore, now: () => number = Date.now) {
    this.table = table;
    this.store = store;
    this.now = now;
  }

  /** Returns null if Caddy should continue with its own certificates. A known answer needs no promise. */
  find(hostname: string): UsableCertificate | null | Promise<UsableCertificate | null> {
    const id = this.table.certificateOf(hostname);
    if (id === null) return null;
    const [known, stored] = [this.table.lookup(hostname), this.store.get(id)];
    if (!(known instanceof Promise || stored instanceof Promise)) return this.judge(hostname, known, stored);
    return Promise.all([known, stored]).then(([admittance, read]) => this.judge(hostname, admittance, read));
  }

  /** Whether this edge serves the hostname with a certificate of ours, so that Caddy must not order another. */
  holds(hostname: string): boolean | Promise<boolean> {
    const found = this.find(hostname);
    return found instanceof Promise ? found.then((known) => known !== null) : found !== null;
  }

  private judge(hostname: string, known: Admittance, stored: UsableCertificate | null): UsableCertificate | null {
    // While a hostname obtains its own certificate, the wildcard above it decides about requests only.
    const standing = known.own === 'pointing' ? known.own : known.standing;
    if (stored === null || !SERVED_WITH_OURS.has(standing)) return null;
    const now = this.now();
    if (now < stored.notBefore || now >= stored.notAfter) return null;
    return stored.certificate.checkHost(hostname, { subject: 'never' }) === undefined ? null : stored;
  }
}
