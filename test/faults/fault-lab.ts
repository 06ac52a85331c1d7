import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { ensureDatabase, migrate } from '../../src/db/migrate.ts';
import { createPool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';
import { startFreezingProxy, type FreezingProxy } from '../support/proxies/freezing-proxy.ts';
import { startApiProcess, startWorkerProcess, type HalfProcess } from '../support/fixtures/half-process.ts';
import { Receiver } from '../support/doubles/receiver.ts';
import { until } from '../support/until.ts';
import { Invariants } from './invariants.ts';
import { saw } from './report.ts';
import { secretsIn } from './secrets.ts';
import { Servers } from './servers.ts';

/** A process of the service with its own proxies to the database and to Temporal, each of which can be cut. */
export interface Actor {
  process: HalfProcess;
  database: FreezingProxy;
  temporal: FreezingProxy;
  env: NodeJS.ProcessEnv;
}

interface FaultLabOptions {
  apis?: number;
  workers?: number;
  /** Environment of every process of the service. */
  env?: NodeJS.ProcessEnv;
  /** Prepares the empty database before it is used, given the superuser's URL. */
  prepare?: (serverUrl: string) => Promise<void>;
}

/**
 * The whole service in separate processes: a durable Postgres, a Temporal, APIs and workers, and a receiver of
 * webhooks. Each of them can be killed and restarted on the same ports. The invariants are checked from start to stop,
 * and at the stop everything that was printed is searched for secrets.
 */
export class FaultLab {
  apis: Actor[] = [];
  workers: Actor[] = [];
  private readonly folder: string;
  readonly servers: Servers;
  readonly receiver: Receiver;
  private invariants: Invariants | undefined;
  tenant!: NewTenant;
  databaseUrl = '';
  /** Values that must never be printed. */
  readonly secrets = new Set<string>();
  private readonly proxies: FreezingProxy[] = [];
  private readonly printed: HalfProcess[] = [];
  private readonly options: Required<FaultLabOptions>;

  private constructor(folder: string, servers: Servers, receiver: Receiver, options: FaultLabOptions) {
    this.folder = folder;
    this.servers = servers;
    this.receiver = receiver;
    this.options = { apis: 2, workers: 1, env: {}, prepare: () => Promise.resolve(), ...options };
  }

  static async start(options: FaultLabOptions = {}): Promise<FaultLab> {
    const folder = await mkdtemp(join(tmpdir(), 'fault-lab-'));
    const lab = new FaultLab(folder, await Servers.start(folder), await Receiver.start(), options);
    try {
      await lab.setUp();
      return lab;
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  private async setUp(): Promise<void> {
    const { apis, workers, prepare } = this.options;
    this.databaseUrl = await ensureDatabase(this.servers.postgresUrl, 'service');
    await prepare(this.servers.postgresUrl);
    await migrate(this.databaseUrl);
    const pool = await createPool(this.databaseUrl, { max: 1, name: 'fault-lab' });
    this.tenant = await createTenant(pool, 'Faults');
    await pool.end();
    for (const secret of [this.servers.password, this.tenant.test.key, this.tenant.live.key]) this.secrets.add(secret);
    this.apis = await Promise.all(Array.from({ length: apis }, () => this.actor(this.startApi)));
    this.workers = await Promise.all(Array.from({ length: workers }, () => this.actor(this.startWorker)));
    await this.subscribe();
    this.invariants = new Invariants({
      databaseUrl: () => this.databaseUrl,
      askPorts: () => this.apis.map(({ process }) => process.port),
      temporal: () => this.servers.temporalClient,
    });
  }

  /** Starts another process with its own proxies and, in addition to the common settings, this environment. */
  async actor(
    start: (actor: Omit<Actor, 'process'>) => Promise<HalfProcess>,
    env: NodeJS.ProcessEnv = {},
  ): Promise<Actor> {
    const database = await startFreezingProxy(this.databaseUrl);
    const temporal = await startFreezingProxy(`tcp://${this.servers.temporalAddress}`);
    this.proxies.push(database, temporal);
    const port = String(await freePort());
    const connections = { database, temporal, env: { PORT: port, ...env } };
    return { ...connections, process: await start(connections) };
  }

  readonly startApi = ({ database, temporal, env }: Omit<Actor, 'process'>): Promise<HalfProcess> =>
    this.recorded(startApiProcess(database.url, { ...this.settings(temporal), ...env }));

  readonly startWorker = ({ database, temporal, env }: Omit<Actor, 'process'>): Promise<HalfProcess> =>
    this.recorded(startWorkerProcess(database.url, { ...this.settings(temporal), ...env, INTERNAL_PORT: env['PORT'] }));

  private settings(temporal: FreezingProxy): NodeJS.ProcessEnv {
    return {
      TEMPORAL_ADDRESS: new URL(temporal.url).host,
      EDGE: 'off',
      RATE_LIMIT_KEY: '0',
      RATE_LIMIT_TENANT: '0',
      WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8,::1',
      DNS_RESOLVERS: '127.0.0.1:9',
      WIDGET_TOKEN_KEYS: `w1:${Buffer.alloc(32, 3).toString('base64')}`,
      CURSOR_KEY: `c1:${Buffer.alloc(32, 5).toString('base64')}`,
      BASE_URL: 'http://lab.localhost',
      ...this.options.env,
    };
  }

  private async recorded(starting: Promise<HalfProcess>): Promise<HalfProcess> {
    const process = await starting;
    this.printed.push(process);
    return process;
  }

  /** Restarts a process on the same ports, with the same proxies. */
  async revive(actor: Actor): Promise<void> {
    actor.process = await (this.apis.includes(actor) ? this.startApi(actor) : this.startWorker(actor));
  }

  user(api = 0, environment: 'test' | 'live' = 'test'): ApiUser {
    return new ApiUser(`http://127.0.0.1:${this.apis[api]!.process.port}`, this.tenant[environment]);
  }

  async query<T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      return (await client.query<T>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  private async subscribe(): Promise<void> {
    const { status, body } = await this.user().call('POST', '/webhook-endpoints', {
      application_id: this.tenant.test.application_id,
      url: this.receiver.url,
    });
    if (status !== 201) throw new Error(`The endpoint was refused: ${JSON.stringify(body)}`);
    this.receiver.secrets = [String(body['signing_secret'])];
    this.secrets.add(String(body['signing_secret']));
  }

  /** Waits until all of these hostnames are live, and returns the elapsed milliseconds. */
  async untilLive(hostnames: readonly string[], limitMs = 60_000): Promise<number> {
    const began = performance.now();
    const live = `SELECT count(*)::integer AS n FROM connections WHERE hostname = ANY($1) AND state = 'live'`;
    await until(async () => (await this.query<{ n: number }>(live, [hostnames]))[0]?.n === hostnames.length, limitMs);
    return performance.now() - began;
  }

  /** Returns the event types of each of these hostnames, in order. */
  async stories(hostnames: readonly string[]): Promise<string[][]> {
    const rows = await this.query<{ types: string[] }>(
      `SELECT array_agg(type ORDER BY sequence) AS types FROM events JOIN connections ON connections.id = connection_id
       WHERE hostname = ANY($1) GROUP BY connection_id`,
      [hostnames],
    );
    return rows.map(({ types }) => types);
  }

  async stateOf(hostname: string): Promise<string | undefined> {
    const rows = await this.query<{ state: string }>('SELECT state FROM connections WHERE hostname = $1', [hostname]);
    return rows[0]?.state;
  }

  /** Checks the invariants, searches the output for secrets, and returns a summary. */
  async judge(): Promise<string> {
    const seen = await this.invariants!.stop();
    const leaked = secretsIn(this.everythingPrinted(), this.secrets);
    if (leaked.length > 0) throw new Error(`Printed: ${leaked.join('; ')}`);
    return seen;
  }

  everythingPrinted(): string {
    return this.printed.map((process) => process.output()).join('\n');
  }

  async close(): Promise<void> {
    await this.invariants?.end();
    await Promise.all([...this.apis, ...this.workers].map(({ process }) => process.stop('SIGKILL')));
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
    await this.servers.stop();
    await this.receiver.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Runs a trial of one row on a new lab. */
export async function inLab(
  { row, ...options }: FaultLabOptions & { row: number },
  trial: (lab: FaultLab) => Promise<string>,
): Promise<void> {
  const lab = await FaultLab.start(options);
  try {
    saw(row, await trial(lab));
    saw(row, await lab.judge());
  } finally {
    await lab.close();
  }
}

/** Shares one lab between the trials of these rows. The lab is judged and closed after the last trial. */
export function shareLab(rows: readonly number[]): () => FaultLab {
  let lab: FaultLab;
  beforeAll(async () => {
    lab = await FaultLab.start();
  }, 120_000);
  afterAll(async () => {
    try {
      const seen = await lab.judge();
      for (const row of rows) saw(row, seen);
    } finally {
      await lab.close();
    }
  }, 180_000);
  return () => lab;
}

/** Events of a connection that goes live without an incident. */
export const WHOLE_STORY = ['domain.added', 'domain.verified', 'ssl.issued', 'domain.flow.completed'];

export const newName = (behaviour = 'auto'): string => `${randomUUID().slice(0, 8)}.${behaviour}.test`;
