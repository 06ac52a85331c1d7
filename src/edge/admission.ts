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
  readAdmission,
  readAdmissions,
  readChanged,
  renewLease,
  takeLease,
} from '../db/edge/admissions.ts';
import { noteHeard, registerEdge, type Edge } from '../db/edge/edges.ts';
import { UNKNOWN_NAME, type AdmissionChange, type Admittance, type Standing } from '../domain/edge/admission.ts';
import { AdmissionTable } from './admission-table.ts';

/** How long the table is believed after a lease was asked for; Postgres keeps the lease a second longer. */
const TRUST_MS = 2_000;
const RENEW_EVERY_MS = 500;
const AGAIN_AFTER_MS = 250;
const CONNECT_LIMIT_MS = 5_000;
const LOOKUP_LIMIT_MS = 1_000;

/** Neither our own table nor the database can say: the question must be answered with a refusal. */
export class CannotTell extends Error {
  override readonly name = 'CannotTell';
}

/** Knows which hostnames are ours to serve. An answer at hand is given at once, not by promise. */
export interface Admissions {
  lookup(hostname: string): Admittance | Promise<Admittance>;
  standingOf(hostname: string): Standing | Promise<Standing>;
  /** Calls with the names that changed, before the change is acknowledged; with null when any name may have changed. */
  onChange(listener: (hostnames: ReadonlySet<string> | null) => void): void;
}

/** Where a copy of the table is kept. */
export interface AdmissionStore {
  /** The table for the next epoch, with what is known already. */
  begin(): AdmissionTable;
  /** Takes changes in. What it has resolved for is not lost with the process, where the store outlives it. */
  take(table: AdmissionTable, changes: readonly AdmissionChange[]): Promise<void>;
  /** The table was believed at this time. */
  noteTrust?(at: Date): void;
}

const inMemory: AdmissionStore = {
  begin: () => new AdmissionTable(),
  take(table, changes) {
    for (const change of changes) table.apply(change);
    return Promise.resolve();
  },
};

export interface AdmissionOptions {
  store?: AdmissionStore;
  /** Answers while the table is not believed; the database does, unless told otherwise. */
  otherwise?: (hostname: string) => Admittance | Promise<Admittance>;
  /** The edge whose copy this is; an API process has none. */
  edge?: Edge;
}

/**
 * This process's copy of the admission table. It is believed only while its lease runs: the lease is renewed by a
 * statement on the very connection that hears of changes, so a connection that is broken, or half open, ends it. An
 * epoch is one unbroken copy; any lapse ends it and begins another. Not believed, every question goes to Postgres, or
 * where the options say.
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
  private readonly otherwise: (hostname: string) => Admittance | Promise<Admittance>;
  private readonly listeners: ((hostnames: ReadonlySet<string> | null) => void)[] = [];

  constructor(databaseUrl: string, log: Logger, { store = inMemory, otherwise, edge }: AdmissionOptions = {}) {
    this.store = store;
    this.edge = edge;
    this.table = store.begin();
    this.otherwise = otherwise ?? ((hostname) => this.lookupInDatabase(hostname));
    this.databaseUrl = databaseUrl;
    this.log = log;
    const limits = { connectionTimeoutMillis: LOOKUP_LIMIT_MS, query_timeout: LOOKUP_LIMIT_MS };
    this.pool = new PgPool({ connectionString: databaseUrl, max: 4, ...limits });
    this.pool.on('error', () => undefined); // an idle connection broke; the next question opens another
    this.running = this.run();
  }

  /** The monotonic clock is asked at every question: a process that was stopped for a while does not answer from the past. */
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
    return known instanceof Promise ? known.then(({ standing }) => standing) : known.standing;
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
      const row = await readAdmission(this.pool, hostname);
      return row === null
        ? UNKNOWN_NAME
        : { standing: row.standing, originUrl: row.origin_url, displayName: row.display_name };
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

  /** Listens, takes a lease, loads, and only then trusts; in this order nothing that is committed can be missed. */
  private async liveThroughEpoch(): Promise<void> {
    const epoch = randomUUID();
    const { table, store } = this;
    const listening = new BreakableClient(this.databaseUrl);
    const loading = new BreakableClient(this.databaseUrl);
    try {
      const { client } = await listening.open();
      hearChanges(listening, epoch, async (changes) => {
        await store.take(table, changes);
        this.tell(changes);
      });
      await client.query(`LISTEN ${ADMISSION_CHANNEL}`);
      const heldUntil = performance.now() + TRUST_MS;
      await takeLease(client, epoch);
      if (this.edge !== undefined) await registerEdge(client, this.edge, epoch);
      let isLoaded = false;
      let isNew = true;
      const loaded = loading.open().then(async (reader) => {
        await readAdmissions(reader.client, (changes) => store.take(table, changes));
        reader.close();
        isLoaded = true;
      });
      loaded.catch(listening.fail);
      await this.keepLease(listening, epoch, heldUntil, (until) => {
        if (!isLoaded) return;
        this.trustedUntil = until;
        store.noteTrust?.(new Date());
        if (isNew) this.tell(null);
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
    if (isRenewed && this.edge !== undefined) await noteHeard(client, this.edge);
    return isRenewed;
  }

  private tell(changes: readonly AdmissionChange[] | null): void {
    const names = changes?.map((change) => ('hostname' in change ? change.hostname : null)) ?? [null];
    const told = names.includes(null) ? null : new Set(names.filter((name) => name !== null));
    for (const listener of this.listeners) listener(told);
  }

  /** Renews until told to stop. A renewal that comes back after the time it was to extend is a lapse, not a renewal. */
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

/**
 * Takes in what notices tell of, and then acknowledges it; what arrives together is read and acknowledged together. A
 * notice is committed together with its row, so the row that is read is at least as new: one that claims to be newer was
 * sent by another login of the database, and is neither believed nor acknowledged.
 */
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

/** Undefined for what no trigger of ours sends. */
function noticeIn(payload: string | undefined): ChangeNotice | undefined {
  try {
    return ChangeNotice.safeParse(JSON.parse(payload ?? '')).data;
  } catch {
    return undefined;
  }
}

/** A connection whose socket is ours to destroy: asking a half-open one to end politely would wait for ever. */
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

  /** Makes it count as broken, and so it is: whatever waits for an answer on it is told. */
  readonly fail = (error: unknown): void => {
    this.breaking.abort(error);
    this.socket.destroy();
  };

  /** One statement after the other, for all who share the connection. */
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
