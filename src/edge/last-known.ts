import { isServed, type Admittance } from '../domain/edge/admission.ts';
import { CannotTell } from './admission.ts';

export interface LastKnownOptions {
  journal: {
    /** When the table was last trusted; undefined if it never was. */
    readonly trustedAt: number | undefined;
    lookup(hostname: string): Admittance;
  };
  /** Time after the table was last trusted in which serving hostnames continue; 0 for none. */
  staleForMs: number;
  recordStale?(): void;
  now?: () => number;
}

/** Answers from an edge's copy on disk while the control plane cannot confirm it: only what was serving continues. */
export class LastKnown {
  private readonly options: LastKnownOptions;

  constructor(options: LastKnownOptions) {
    this.options = options;
  }

  isFresh(): boolean {
    const { journal, staleForMs, now = Date.now } = this.options;
    return journal.trustedAt !== undefined && now() - journal.trustedAt < staleForMs;
  }

  /** Rejects for hostnames about which the copy alone cannot decide. */
  lookup(hostname: string): Promise<Admittance> {
    const last = this.options.journal.lookup(hostname);
    // A wildcard may decide about a hostname whose own connection did not serve: no certificate may be ordered for it now.
    const known: Admittance = { ...last, own: isServed(last.own) ? last.own : 'none' };
    if (known.standing === 'archived' || known.standing === 'blocked') return Promise.resolve(known);
    if (!isServed(known.standing) || !this.isFresh())
      return Promise.reject(new CannotTell('The control plane does not answer.'));
    this.options.recordStale?.();
    return Promise.resolve(known);
  }
}
