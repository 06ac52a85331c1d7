import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Pool as PgPool } from 'pg';
import type { Logger } from 'pino';
import {
  acknowledge,
  ADMISSION_CHANNEL,
  ChangeNotice,
  endLease,
  readAdmittance,
  readAdmissions,
  readChanged,
  renewLease,
  takeLease,
} from '../db/edge/admissions.ts';
import { recordHeard, registerEdge, type Edge } from '../db/edge/edges.ts';
import { type AdmissionChange, type Admittance, type Standing } from '../domain/edge/admission.ts';
import { AdmissionTable } from './admission-table.ts';

/** Time for which the table is trusted after a lease was requested. Postgres keeps the lease a second longer. */
const TRUST_MS = 2_000;
const RENEW_EVERY_MS = 500;
const AGAIN_AFTER_MS = 250;
const CONNECT_LIMIT_MS = 5_000;
const LOOKUP_LIMIT_MS = 1_000;

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
}

const inMemory: AdmissionStore = {
  begin: () => new AdmissionTable(),
  take(table, changes) {
    for (const change of changes) table.apply(change);
    return Promise.resolve();
  },
};

/** Prepares a copy for changes, on the connection that read them. */
export interface ChangeKeys {
  /** Called for each new connection. */
  bind(client: Client): Promise<void>;
  /** Called before changes are applied: fetches the keys that they name. */
  fetch(client: Client, changes: readonly AdmissionChange[]): Promise<void>;
  /** Called after changes were applied. */
  applied(changes: readonly AdmissionChange[]): void;
}

export interface AdmissionOptions {
  store?: AdmissionStore;
  /** Answers while the table is not trusted. Default: the database. */
  otherwise?: (hostname: string) => Admittance | Promise<Admittance>;
  /** The edge that owns this copy; undefined in an API process. */
  edge?: Edge;
  keys?: ChangeKeys;
}

/**
 * This process's copy of the admission table, trusted only while its lease runs, which is renewed on the connection
 * that receives notifications. Otherwise questions go to Postgres, or to `otherwise`.
 */
export class Admission implements Admissions {
  private table: AdmissionTable;
  private trustedUntil = 0;
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private readonly pool: PgPool;
  private readonly databaseUrl: string;
  private readonly log: Logger;
  private readonly store: AdmissionStore;
  private readonly edge: Edge | undefined;
  private readonly keys: ChangeKeys | undefined;
  private readonly otherwise: (hostname: string) => Admittance | Promise<Admittance>;
  private readonly listeners: ((hostnames: ReadonlySet<string> | null) => void)[] = [];

  constructor(databaseUrl: string, log: Logger, { store = inMemory, otherwise, edge, keys }: AdmissionOptions = {}) {
    this.store = store;
    this.edge = edge;
    this.keys = keys;
    this.table = store.begin();
    this.otherwise = otherwise ?? ((hostname) => this.lookupInDatabase(hostname));
    this.databaseUrl = databaseUrl;
    this.log = log;
    const limits = { connectionTimeoutMillis: LOOKUP_LIMIT_MS, query_timeout: LOOKUP_LIMIT_MS };
    this.pool = new PgPool({ connectionString: databaseUrl, max: 4, ...limits });
    this.pool.on('error', () => undefined); // an idle connection broke; the next query opens another
    this.running = this.run();
  }

  /** Reads the monotonic clock at every question, so that a suspended process does not answer from old data. */
  get isTrusted(): boolean {
    return performance.now() < this.trustedUntil;
  }

  get size(): number {
    return this.table.size;
  }

  lookup(hostname: string): Admittance | Promise<Admittance> {
    return this.isTrusted ? this.table.lookup(hostname) : this.otherwise(hostname);
  }

  standingOf(hostname: string): Standing | Promise<Standing> {
    if (this.isTrusted) return this.table.standingOf(hostname);
    const known = this.otherwise(hostname);
    return known instanceof Promise ? known.then(({ own }) => own) : known.own;
  }

  onChange(listener: (hostnames: ReadonlySet<string> | null) => void): void {
    this.listeners.push(listener);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    await this.pool.end();
  }

  private async lookupInDatabase(hostname: string): Promise<Admittance> {
    try {
      return await readAdmittance(this.pool, hostname);
    } catch (error) {
      throw new CannotTell('The database does not answer.', { cause: error });
    }
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    while (!this.isStopping()) {
      try {
        await this.liveThroughEpoch();
      } catch (error) {
        if (!this.isStopping())
          this.log.warn({ err: error }, 'The admission table is not believed until it is loaded anew.');
      }
      this.trustedUntil = 0;
      this.table = this.store.begin();
      await pause(AGAIN_AFTER_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  /** Listens, takes a lease, loads the table, and only then trusts it. In this order no committed change is missed. */
  private async liveThroughEpoch(): Promise<void> {
    const epoch = randomUUID();
    const { table, store, keys } = this;
    const take = async (reader: Client, changes: readonly AdmissionChange[]): Promise<void> => {
      await keys?.fetch(reader, changes);
      await store.take(table, changes);
      keys?.applied(changes);
    };
    const listening = new BreakableClient(this.databaseUrl);
    const loading = new BreakableClient(this.databaseUrl);
    try {
      const { client } = await listening.open();
      hearChanges(listening, epoch, async (changes) => {
        await take(client, changes);
        this.notify(changes);
      });
      await client.query(`LISTEN ${ADMISSION_CHANNEL}`);
      const heldUntil = performance.now() + TRUST_MS;
      await takeLease(client, epoch);
      if (this.edge !== undefined) await registerEdge(client, this.edge, epoch);
      await keys?.bind(client);
      let isLoaded = false;
      let isNew = true;
      const loaded = loading.open().then(async (reader) => {
        await readAdmissions(reader.client, (changes) => take(reader.client, changes));
        reader.close();
        isLoaded = true;
      });
      loaded.catch(listening.fail);
      await this.keepLease(listening, epoch, heldUntil, (until) => {
        if (!isLoaded) return;
        this.trustedUntil = until;
        store.recordTrust?.(new Date());
        if (isNew) this.notify(null);
        isNew = false;
      });
      this.trustedUntil = 0;
      await listening.inTurn(() => endLease(client, epoch));
    } finally {
      this.trustedUntil = 0;
      listening.close();
      loading.close();
    }
  }

  private async renew(client: Client, epoch: string): Promise<boolean> {
    const isRenewed = await renewLease(client, epoch);
    if (isRenewed && this.edge !== undefined) await recordHeard(client, this.edge);
    return isRenewed;
  }

  private notify(changes: readonly AdmissionChange[] | null): void {
    const names = changes?.map((change) => ('hostname' in change ? change.hostname : null)) ?? [null];
    const changed = names.includes(null) ? null : new Set(names.filter((name) => name !== null));
    for (const listener of this.listeners) listener(changed);
  }

  /** Renews the lease until stopped. A renewal that is answered too late counts as a lapse. */
  private async keepLease(
    { client, inTurn, fail, broken }: BreakableClient,
    epoch: string,
    firstUntil: number,
    trust: (until: number) => void,
  ): Promise<void> {
    const signal = AbortSignal.any([this.stopping.signal, broken]);
    for (let heldUntil = firstUntil; !this.isStopping();) {
      const sentAt = performance.now();
      const tooLate = setTimeout(() => fail(new Error(RAN_OUT)), Math.max(0, heldUntil - sentAt));
      const renewed = await inTurn(() => this.renew(client, epoch)).finally(() => clearTimeout(tooLate));
      if (!renewed || performance.now() >= heldUntil) throw new Error(RAN_OUT);
      heldUntil = sentAt + TRUST_MS;
      trust(heldUntil);
      await pause(RENEW_EVERY_MS, undefined, { signal }).catch(() => broken.throwIfAborted());
    }
  }
}

const RAN_OUT = 'The lease on the admission table ran out.';

/** Applies notified changes, then acknowledges them. A notification of a row that does not exist was forged. */
function hearChanges(
  { client, inTurn, fail }: BreakableClient,
  epoch: string,
  take: (changes: readonly AdmissionChange[]) => Promise<void>,
): void {
  let heard: ChangeNotice[] = [];
  const takeIn = async () => {
    const notices = heard;
    heard = [];
    const changes = await readChanged(client, notices);
    await take(changes);
    const newest = new Map(changes.map((change) => [keyOf(change), change.sequence]));
    const taken = notices.filter((notice) => notice.sequence <= (newest.get(keyOf(notice)) ?? 0));
    if (taken.length === 0) return;
    await acknowledge(
      client,
      epoch,
      taken.map(({ sequence }) => sequence),
    );
  };
  client.on('notification', ({ payload }) => {
    const notice = noticeIn(payload);
    if (notice !== undefined && heard.push(notice) === 1) setImmediate(() => void inTurn(takeIn).catch(fail));
  });
}

const keyOf = (change: ChangeNotice): string => ('hostname' in change ? change.hostname : change.application_id);

/** Returns undefined for a payload that our triggers do not send. */
function noticeIn(payload: string | undefined): ChangeNotice | undefined {
  try {
    return ChangeNotice.safeParse(JSON.parse(payload ?? '')).data;
  } catch {
    return undefined;
  }
}

/** A connection whose socket we can destroy. Closing a half-open one gracefully would wait forever. */
class BreakableClient {
  private readonly socket = new Socket();
  private readonly breaking = new AbortController();
  private lastTurn: Promise<unknown> = Promise.resolve();
  readonly client: Client;

  constructor(databaseUrl: string) {
    this.client = new Client({
      connectionString: databaseUrl,
      stream: () => this.socket,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      query_timeout: CONNECT_LIMIT_MS,
    });
    this.client.on('error', this.fail);
    this.client.on('end', () => this.fail(new Error('The connection to the database ended.')));
  }

  get broken(): AbortSignal {
    return this.breaking.signal;
  }

  /** Marks the connection as broken, and rejects everything that waits for it. */
  readonly fail = (error: unknown): void => {
    this.breaking.abort(error);
    this.socket.destroy();
  };

  /** Runs one statement at a time for all users of the connection. */
  readonly inTurn = <T>(statement: () => Promise<T>): Promise<T> => {
    const result = this.lastTurn.then(statement);
    this.lastTurn = result.catch(() => undefined);
    return result;
  };

  async open(): Promise<this> {
    await this.client.connect();
    return this;
  }

  close(): void {
    this.socket.destroy();
  }
}
