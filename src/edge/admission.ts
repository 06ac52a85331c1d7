import type { Logger } from 'pino';
import type { AdmissionChange, Admittance, Standing } from '../domain/edge/admission.ts';
import { AdmissionTable } from './admission-table.ts';
import type { CopyWatcher } from './answer-generation.ts';
import { followAgain } from './change-listener.ts';

/** Neither the table nor the database can answer, so the question must be refused. */
export class CannotTell extends Error {
  override readonly name = 'CannotTell';
}

/** Answers which hostnames may be served. An available answer is returned without a promise. */
export interface Admissions {
  lookup(hostname: string): Admittance | Promise<Admittance>;
  /** Returns the admission of the hostname itself, without the wildcard above it. */
  standingOf(hostname: string): Standing | Promise<Standing>;
  /** Calls the listener with changed hostnames before the acknowledgement; null means that any may have changed. */
  onChange(listener: (hostnames: ReadonlySet<string> | null) => void): void;
}

export interface AdmissionStore {
  /** Returns the table for the next epoch, with the rows that are known already. */
  begin(): AdmissionTable;
  /** Applies changes. If the store is durable, they survive the process once this resolves. */
  take(table: AdmissionTable, changes: readonly AdmissionChange[]): Promise<void>;
  recordTrust?(at: Date): void;
  /** Returns an empty table, for a database in which sequences have begun anew. */
  startOver?(): AdmissionTable;
  /** Replaces the present table by that one. */
  adopt?(table: AdmissionTable): Promise<void>;
}

const inMemory: AdmissionStore = {
  begin: () => new AdmissionTable(),
  take(table, changes) {
    for (const change of changes) table.apply(change);
    return Promise.resolve();
  },
};

/** The parts of a copy that its source fills. */
export interface FollowedCopy {
  /** Applies changes. */
  take(changes: readonly AdmissionChange[]): Promise<void>;
  /** Leaves the present table in use, and collects changes in an empty one. */
  startOver(): void;
  /** Ends the loading: the copy has every change up to now. */
  loaded(): Promise<void>;
  /** Trusts the copy until then, by `performance.now`. Call this only while it has every change. */
  trust(until: number): void;
  /** Answers no more questions from the copy. */
  distrust(): void;
  /** Reports changes to listeners. */
  notify(changes: readonly AdmissionChange[]): void;
}

/** Where a copy gets the admissions from: the database, or the control plane's feed. */
export interface AdmissionSource {
  /** Fills a copy and keeps it current until stopped. Throws if the source fails. */
  follow(copy: FollowedCopy, stop: AbortSignal): Promise<void>;
  /** Answers while the copy is not trusted. */
  lookup(hostname: string): Admittance | Promise<Admittance>;
  stop?(): Promise<void>;
}

/**
 * This process's copy of the admission table, trusted only while its lease runs, which is renewed where changes arrive.
 * Otherwise the source answers.
 */
export class Admission implements Admissions {
  private table: AdmissionTable;
  private trustedUntil = 0;
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private readonly source: AdmissionSource;
  private readonly store: AdmissionStore;
  private readonly watcher: CopyWatcher | undefined;
  private readonly listeners: ((hostnames: ReadonlySet<string> | null) => void)[] = [];

  constructor(source: AdmissionSource, log: Logger, store: AdmissionStore = inMemory, watcher?: CopyWatcher) {
    this.source = source;
    this.watcher = watcher;
    this.store = store;
    this.table = store.begin();
    this.running = followAgain(
      () => source.follow(this.followed(), this.stopping.signal),
      this.stopping.signal,
      (error) => log.warn({ err: error }, 'The admission table is not trusted until it is loaded anew.'),
    );
  }

  /** Reads the monotonic clock at every question, so that a suspended process does not answer from old data. */
  get isTrusted(): boolean {
    return performance.now() < this.trustedUntil;
  }

  get size(): number {
    return this.table.size;
  }

  lookup(hostname: string): Admittance | Promise<Admittance> {
    return this.isTrusted ? this.table.lookup(hostname) : this.source.lookup(hostname);
  }

  standingOf(hostname: string): Standing | Promise<Standing> {
    if (this.isTrusted) return this.table.standingOf(hostname);
    const known = this.source.lookup(hostname);
    return known instanceof Promise ? known.then(({ own }) => own) : known.own;
  }

  onChange(listener: (hostnames: ReadonlySet<string> | null) => void): void {
    this.listeners.push(listener);
  }

  async stop(): Promise<void> {
    this.trustUntil(0); // before the source ends the lease
    this.stopping.abort();
    await this.running;
    await this.source.stop?.();
  }

  private trustUntil(until: number): void {
    this.trustedUntil = until;
    this.watcher?.trusted(until);
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private followed(): FollowedCopy {
    const { store } = this;
    let table = store.begin();
    let isNew = true;
    return {
      take: async (changes) => {
        await store.take(table, changes);
        this.watcher?.changed();
      },
      startOver: () => {
        table = store.startOver?.() ?? new AdmissionTable();
      },
      loaded: async () => {
        await store.adopt?.(table);
        this.table = table;
        this.watcher?.changed();
      },
      trust: (until) => {
        if (this.isStopping()) return;
        this.trustUntil(until);
        store.recordTrust?.(new Date());
        if (isNew) this.notify(null);
        isNew = false;
      },
      distrust: () => {
        this.trustUntil(0);
      },
      notify: (changes) => this.notify(changes),
    };
  }

  private notify(changes: readonly AdmissionChange[] | null): void {
    const names = changes?.map((change) => ('hostname' in change ? change.hostname : null)) ?? [null];
    const changed = names.includes(null) ? null : new Set(names.filter((name) => name !== null));
    for (const listener of this.listeners) listener(changed);
  }
}
