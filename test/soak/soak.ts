import pg from 'pg';
import { removalCommands } from '../../src/cli/commands/removal.ts';
import type { ServiceAccess } from '../../src/cli/service-access.ts';
import { beginPeriod } from '../../src/db/billing/usage.ts';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { archiveConnection, lockConnection } from '../../src/db/connection/connections.ts';
import { foldCounts } from '../../src/db/connection/tenant-counts.ts';
import { deleteExpired } from '../../src/db/retention.ts';
import { DAY, MINUTE } from '../../src/domain/duration.ts';
import { reconcile } from '../../src/temporal/reconcile.ts';
import { connectionWorkflowId } from '../../workflows/messages.ts';
import { createTestDatabase } from '../support/fixtures/database.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { relaying } from '../support/fixtures/relaying.ts';
import { WebhookLab } from '../support/fixtures/webhook-lab.ts';
import { log, type Lab } from '../support/fixtures/workflow-lab.ts';
import { until } from '../support/until.ts';
import { Customers } from './customers.ts';
import { keepDeletedRows } from './deleted-rows.ts';
import { drawFates, isWithin, YEAR, type Fate, type Fates } from './fates.ts';
import { measureTables, type YearEnd } from './growth.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { SkippedTime } from './skipped-time.ts';
import { Workers } from './workers.ts';

/** Days between two drift checks of a connection. In production a check follows every hour. */
export const CHECK_EVERY = 42;
const CERTIFICATE_LASTS = 90;
const RENEWED_EVERY = 60;

export interface SoakOptions {
  connections: number;
  days: number;
  seed: number;
  folder: string;
}

/** Years of many connections, on a Temporal that skips time and a Postgres that follows its clock. */
export class Soak {
  readonly fates: Fates;
  readonly webhooks: WebhookLab;
  readonly customers: Customers;
  readonly rows = new Map<string, ConnectionRow>();
  readonly deletedTenants = new Set<number>();
  readonly years: YearEnd[] = [];
  day = 0;
  /** Runs that the reconciler found missing. */
  restarted = 0;
  checks = 0;
  /** Longest history of any connection's run that was read. */
  longest = { events: 0, bytes: 0 };
  readonly database: pg.Client;
  readonly time: SkippedTime;
  private readonly options: SoakOptions;
  private readonly clock: SimulatedClock;
  private readonly workers: Workers;
  private readonly fateOf: ReadonlyMap<string, Fate>;
  private began = 0;

  private constructor(
    options: SoakOptions,
    fates: Fates,
    parts: Pick<Soak, 'webhooks' | 'customers' | 'database' | 'time'> & { clock: SimulatedClock; workers: Workers },
  ) {
    this.options = options;
    this.fates = fates;
    this.webhooks = parts.webhooks;
    this.customers = parts.customers;
    this.clock = parts.clock;
    this.time = parts.time;
    this.workers = parts.workers;
    this.database = parts.database;
    this.fateOf = new Map(fates.connections.map((fate) => [fate.hostname, fate]));
  }

  static async open(options: SoakOptions): Promise<Soak> {
    const fates = drawFates(options.seed, options.connections, options.days);
    const data = await createTestDatabase();
    const clock = await SimulatedClock.install(data.url);
    const database = new pg.Client({ connectionString: data.url });
    database.on('error', () => undefined); // the end of a failed soak stops Postgres first
    await database.connect();
    await keepDeletedRows(database);
    const webhooks = await WebhookLab.open('time-skipping', { database: data, hasWorker: false });
    const { lab } = webhooks;
    // Every other pace is the real one: ownership, propagation, confirmations, certificates, departures.
    lab.pace = { ...lab.pace, atFirst: { forMs: Infinity, everyMs: CHECK_EVERY * DAY } };
    const time = new SkippedTime(lab.env, clock);
    const workers = new Workers(lab, time.withoutLostLocks(lab.activities), options.folder);
    const soak = new Soak(options, fates, {
      webhooks,
      customers: await Customers.create(webhooks, fates),
      clock,
      workers,
      database,
      time,
    });
    soak.script();
    return soak;
  }

  get lab(): Lab {
    return this.webhooks.lab;
  }

  private dayAt = (now: number): number => (now - this.began) / DAY;

  /** Lets DNS and the edge show what the fates decide and what is published at the provider. */
  private script(): void {
    const { scenario } = this.lab;
    const seen = (now: number, hostname: string, what: 'challenge' | 'records') => {
      this.checks++;
      this.lab.checks.length = 0;
      if (isWithin(this.fates.silences, this.dayAt(now))) return 'unknown';
      return this.isPublished(this.fateOf.get(hostname)!, this.dayAt(now), what) ? 'match' : 'mismatch';
    };
    scenario.challenge = (now, hostname) => seen(now, hostname, 'challenge');
    scenario.records = (now, hostname) => seen(now, hostname, 'records');
    scenario.certificate = (now) => ({ outcome: 'issued', certificate: this.certificateAt(now) });
    scenario.health = (now) => ({ shown: this.certificateAt(now), findings: [] });
  }

  private isPublished(fate: Fate, day: number, what: 'challenge' | 'records'): boolean {
    if (fate.setup === 'automatic') {
      return this.customers.serves(this.fates.tenants[fate.tenant]!.zone, fate.hostname, what);
    }
    if (fate.isNeverProved) return false;
    if (what === 'challenge') return true;
    return !isWithin(fate.drifts, day) && (fate.archivedOn === null || day < fate.archivedOn || fate.isLeftBehind);
  }

  /** The edge renews a certificate every sixty days. */
  private certificateAt(now: number) {
    const issuedAt = this.began + Math.floor(this.dayAt(now) / RENEWED_EVERY) * RENEWED_EVERY * DAY;
    return {
      notBefore: new Date(issuedAt),
      notAfter: new Date(issuedAt + CERTIFICATE_LASTS * DAY),
      ca: 'Soak CA',
      serial: String(issuedAt),
      names: [],
      source: 'edge' as const,
    };
  }

  /** Plays every day. Returns when the last day is over and everything is at rest. */
  async run(): Promise<void> {
    await this.workers.start('this');
    this.began = await this.lab.env.currentTimeMs();
    await relaying(this.lab, 'all', async () => {
      for (; this.day < this.options.days; this.day++) {
        await this.begin(this.day);
        await this.time.pass(this.began + (this.day + 1) * DAY - (await this.time.now()).getTime());
        await this.maintain(this.day + 1);
      }
      await this.settle();
    });
  }

  /** Does what people do on a day: tenants, customers and operators. */
  private async begin(day: number): Promise<void> {
    if (day === Math.floor(this.options.days / 3)) await this.workers.start('next');
    this.customers.isAway = isWithin(this.fates.outages, day);
    for (const fate of this.fates.connections) {
      if (this.deletedTenants.has(fate.tenant)) continue;
      if (fate.bornOn === day) await this.connect(fate);
      if (fate.archivedOn === day) await this.archive(this.rows.get(fate.hostname)!.id);
      const isLost = fate.setup === 'automatic' && fate.drifts.some(({ from }) => from === day);
      if (isLost) await this.customers.removeRecord(this.fates.tenants[fate.tenant]!.zone, fate.hostname);
    }
    if (this.fates.rotations.includes(day)) await this.customers.rotateCredentials();
    for (const [i, tenant] of this.fates.tenants.entries()) if (tenant.deletedOn === day) await this.deleteTenant(i);
  }

  /** Waits until every message and webhook is sent. */
  private async settle(): Promise<void> {
    const open = `SELECT FROM outbox UNION ALL SELECT FROM webhook_deliveries WHERE status = 'pending'`;
    await until(async () => {
      if ((await this.database.query(open)).rowCount === 0) return true;
      await this.time.pass(MINUTE);
      return false;
    }, 120_000);
  }

  private async connect(fate: Fate): Promise<void> {
    const tenant = this.customers.tenants[fate.tenant]!;
    const options = { target: 'edge.lab', now: await this.time.now() };
    this.rows.set(fate.hostname, await newConnection(this.lab.pool, tenant, fate.hostname, options));
  }

  private async archive(id: string): Promise<void> {
    const now = await this.time.now();
    await this.lab.pool.transaction(async (tx) => {
      const row = await lockConnection(tx, id);
      if (row !== null) await archiveConnection(tx, row, now);
    });
  }

  /** Deletes a tenant by the operator's command. */
  private async deleteTenant(index: number): Promise<void> {
    for (const { tenant, hostname } of this.fates.connections)
      if (tenant === index && this.rows.has(hostname)) await this.archive(this.rows.get(hostname)!.id);
    this.deletedTenants.add(index);
    const command = removalCommands[0]!;
    const access = { pool: this.lab.pool } as ServiceAccess;
    const values = { tenant: this.customers.tenants[index]!.tenant_id, yes: true };
    const ended = new AbortController();
    const deleting = command.run(values, access).finally(() => ended.abort());
    while (!ended.signal.aborted) await this.time.pass(MINUTE); // the records are removed meanwhile
    await deleting;
  }

  /** Does the recurring tasks of a worker at their simulated times, and measures. */
  private async maintain(day: number): Promise<void> {
    const { pool, temporal } = this.lab;
    await foldCounts(pool);
    if (day % 7 === 0) {
      await beginPeriod(pool, await this.time.now());
      await deleteExpired(pool);
    }
    if (day % 30 === 0) {
      this.restarted += (await reconcile({ pool, temporal, log })).restarted;
      for (const row of [...this.rows.values()].filter((_, i) => (i + day) % 20 === 0)) await this.readHistory(row);
    }
    if (day % YEAR === 0 || (day === this.options.days && day < YEAR))
      this.years.push(await measureTables(this.database, this.rows.size));
  }

  /** Reads the history of a connection's present run, and remembers the longest. */
  async readHistory(row: Pick<ConnectionRow, 'id' | 'hostname'>): Promise<string> {
    const history = await this.lab.env.client.workflow.getHandle(connectionWorkflowId(row)).fetchHistory();
    const text = JSON.stringify(history);
    this.longest.events = Math.max(this.longest.events, history.events?.length ?? 0);
    this.longest.bytes = Math.max(this.longest.bytes, text.length);
    return text;
  }

  async close(): Promise<void> {
    await this.workers.stop();
    await this.customers.stop();
    await this.clock.stop();
    await this.database.end();
    await this.webhooks.close();
  }
}
