import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { ensureDatabase, migrate } from '../../src/db/migrate.ts';
import { createPool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenants.ts';
import { cacheDir } from '../../src/embedded/places.ts';
import { freePort, freePorts } from '../../src/embedded/ports.ts';
import { startPostgres, type Postgres } from '../../src/embedded/postgres.ts';
import { startTemporal, type Temporal } from '../../src/embedded/temporal.ts';
import { searchAttributeTypes } from '../../src/temporal/search-attributes.ts';
import { ApiUser } from '../support/api-user.ts';
import { startFreezingProxy, type FreezingProxy } from '../support/freezing-proxy.ts';
import { startApiProcess, startWorkerProcess, type HalfProcess } from '../support/half-process.ts';
import { Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { Invariants } from './invariants.ts';
import { saw } from './report.ts';
import { secretsIn } from './secrets.ts';

const onProgress = () => undefined;

/** A half of the service with its own ways to the database and to Temporal, each of which can be cut. */
export interface Actor {
  process: HalfProcess;
  database: FreezingProxy;
  temporal: FreezingProxy;
  env: NodeJS.ProcessEnv;
}

interface StageOptions {
  apis?: number;
  workers?: number;
  /** For every process of ours. */
  env?: NodeJS.ProcessEnv;
  /** What is done to the empty database before anybody uses it, given the superuser's address. */
  prepare?: (serverUrl: string) => Promise<void>;
}

/**
 * The whole service in processes of its own: a Postgres that writes to the disk, a Temporal, APIs and workers, and a
 * receiver of webhooks. Every one of them can be killed and started again where it was. From the start to the stop the
 * invariants are watched, and at the stop the secrets are looked for in everything that was printed.
 */
export class Stage {
  apis: Actor[] = [];
  workers: Actor[] = [];
  readonly folder: string;
  readonly receiver: Receiver;
  private invariants!: Invariants;
  tenant!: NewTenant;
  databaseUrl = '';
  /** What must never be printed. */
  readonly secrets = new Set<string>();
  private readonly password = randomBytes(16).toString('hex');
  private readonly proxies: FreezingProxy[] = [];
  private readonly printed: HalfProcess[] = [];
  private readonly options: Required<StageOptions>;
  private dataDir: string;
  private postgres!: Postgres;
  private temporal!: Temporal;
  private client!: Client;

  private constructor(folder: string, receiver: Receiver, options: StageOptions) {
    this.folder = folder;
    this.receiver = receiver;
    this.dataDir = join(folder, 'postgres');
    this.options = { apis: 2, workers: 1, env: {}, prepare: () => Promise.resolve(), ...options };
  }

  static async start(options: StageOptions = {}): Promise<Stage> {
    const stage = new Stage(await mkdtemp(join(tmpdir(), 'fault-stage-')), await Receiver.start(), options);
    const [port, temporalPort] = await freePorts([undefined, undefined]);
    await Promise.all([stage.startPostgres(port), stage.startTemporal(temporalPort)]);
    stage.databaseUrl = await ensureDatabase(stage.postgres.url, 'service');
    await stage.options.prepare(stage.postgres.url);
    await migrate(stage.databaseUrl);
    const pool = await createPool(stage.databaseUrl, { max: 1, name: 'stage' });
    stage.tenant = await createTenant(pool, 'Faults');
    await pool.end();
    for (const secret of [stage.password, stage.tenant.test.key, stage.tenant.live.key]) stage.secrets.add(secret);
    const { apis, workers } = stage.options;
    stage.apis = await Promise.all(Array.from({ length: apis }, () => stage.actor(stage.startApi)));
    stage.workers = await Promise.all(Array.from({ length: workers }, () => stage.actor(stage.startWorker)));
    await stage.subscribe();
    stage.invariants = new Invariants({
      databaseUrl: () => stage.databaseUrl,
      askPorts: () => stage.apis.map(({ process }) => process.port),
      temporal: () => stage.client,
    });
    return stage;
  }

  /** A process more, with ways of its own; `env` is for this one alone. */
  async actor(
    start: (actor: Omit<Actor, 'process'>) => Promise<HalfProcess>,
    env: NodeJS.ProcessEnv = {},
  ): Promise<Actor> {
    const database = await startFreezingProxy(this.databaseUrl);
    const temporal = await startFreezingProxy(`tcp://${this.temporal.address}`);
    this.proxies.push(database, temporal);
    const port = String(await freePort());
    const ways = { database, temporal, env: { PORT: port, INTERNAL_PORT: port, ...env } };
    return { ...ways, process: await start(ways) };
  }

  readonly startApi = ({ database, temporal, env }: Omit<Actor, 'process'>): Promise<HalfProcess> => {
    const { INTERNAL_PORT: _, ...own } = env;
    return this.noted(startApiProcess(database.url, { ...this.settings(temporal), ...own }));
  };

  readonly startWorker = ({ database, temporal, env }: Omit<Actor, 'process'>): Promise<HalfProcess> =>
    this.noted(startWorkerProcess(database.url, { ...this.settings(temporal), ...env }));

  private settings(temporal: FreezingProxy): NodeJS.ProcessEnv {
    return {
      TEMPORAL_ADDRESS: new URL(temporal.url).host,
      EDGE: 'off',
      RATE_LIMIT_KEY: '0',
      RATE_LIMIT_TENANT: '0',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      DNS_RESOLVERS: '127.0.0.1:9',
      WIDGET_TOKEN_KEYS: `w1:${Buffer.alloc(32, 3).toString('base64')}`,
      CURSOR_KEY: `c1:${Buffer.alloc(32, 5).toString('base64')}`,
      BASE_URL: 'http://stage.test',
      ...this.options.env,
    };
  }

  private async noted(starting: Promise<HalfProcess>): Promise<HalfProcess> {
    const process = await starting;
    this.printed.push(process);
    return process;
  }

  async startPostgres(port = this.postgres.port): Promise<void> {
    this.postgres = await startPostgres({
      dataDir: this.dataDir,
      cacheDir: cacheDir(),
      password: this.password,
      port,
      settings: { max_connections: '200' },
      onProgress,
    });
  }

  /** As a power cut would end it: the postmaster, whose children follow. */
  async killPostgres(): Promise<void> {
    process.kill(this.postgres.pid, 'SIGKILL');
    await until(() => !isAlive(this.postgres.pid));
  }

  /** A copy of the running database's files, as pg_basebackup makes it; returns the folder. */
  async baseBackup(): Promise<string> {
    const backup = join(this.folder, `backup-${randomUUID().slice(0, 8)}`);
    const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to]);
    const server = new pg.Client({ connectionString: this.postgres.url });
    await server.connect();
    await server.query(`SELECT pg_backup_start('copy', true)`);
    await copy(this.dataDir, backup);
    const { rows } = await server.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    await server.end();
    // The log up to the end of the backup belongs to it.
    await copy(`${join(this.dataDir, 'pg_wal')}/.`, join(backup, 'pg_wal'));
    await writeFile(join(backup, 'backup_label'), rows[0]?.labelfile ?? '');
    await rm(join(backup, 'postmaster.pid'));
    return backup;
  }

  /** Goes on from another folder of the database's files, at the same address. */
  async startPostgresFrom(folder: string): Promise<void> {
    this.dataDir = folder;
    await this.startPostgres();
  }

  /** Another server that follows this one and must have every commit before it is acknowledged. */
  async startStandby(): Promise<{ folder: string; promote(): Promise<void> }> {
    const folder = await this.baseBackup();
    await writeFile(join(folder, 'standby.signal'), '');
    const { host, port } = this.postgres;
    const primary_conninfo = `host=${host} port=${port} user=svc password=${this.password} application_name=standby`;
    const standby = await startPostgres({
      dataDir: folder,
      cacheDir: cacheDir(),
      password: this.password,
      port: await freePort(),
      settings: { max_connections: '200', primary_conninfo },
      onProgress,
    });
    await this.asSuperuser(this.postgres.url, `ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
    await this.asSuperuser(this.postgres.url, 'SELECT pg_reload_conf()');
    return {
      folder,
      promote: async () => {
        await this.asSuperuser(standby.url, 'SELECT pg_promote()');
        await this.asSuperuser(standby.url, 'ALTER SYSTEM RESET synchronous_standby_names');
        await standby.stop();
      },
    };
  }

  private async asSuperuser(url: string, statement: string): Promise<void> {
    const server = new pg.Client({ connectionString: url });
    await server.connect();
    await server.query(statement);
    await server.end();
  }

  /** As after a lost disk. */
  async forgetTemporal(): Promise<void> {
    for (const end of ['', '-wal', '-shm']) await rm(join(this.folder, `temporal.db${end}`), { force: true });
  }

  get temporalAddress(): string {
    return this.temporal.address;
  }

  async startTemporal(port = Number(this.temporal.address.split(':')[1])): Promise<void> {
    this.temporal = await startTemporal({
      executable: process.env['TEMPORAL_CLI_PATH']!,
      dbFile: join(this.folder, 'temporal.db'),
      port,
      uiPort: await freePort(),
      searchAttributes: searchAttributeTypes(),
      dynamicConfig: { 'matching.enableFairness': true },
      onProgress,
    });
    this.client = new Client({ connection: Connection.lazy({ address: this.temporal.address }) });
  }

  async killTemporal(): Promise<void> {
    process.kill(this.temporal.pid, 'SIGKILL');
    await until(() => !isAlive(this.temporal.pid));
  }

  /** Starts a process again where it was: the same ports, the same ways. */
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

  get temporalClient(): Client {
    return this.client;
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

  /** Waits until all of these names are live, and says how many milliseconds that took. */
  async untilLive(hostnames: readonly string[], limitMs = 60_000): Promise<number> {
    const began = performance.now();
    const live = `SELECT count(*)::integer AS n FROM connections WHERE hostname = ANY($1) AND state = 'live'`;
    await until(async () => (await this.query<{ n: number }>(live, [hostnames]))[0]?.n === hostnames.length, limitMs);
    return performance.now() - began;
  }

  /** The kinds of event that were told of each of these names, in order. */
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

  /** Holds what was watched to the invariants and looks for secrets in what was printed; says what it saw. */
  async judge(): Promise<string> {
    const seen = await this.invariants.stop();
    const leaked = secretsIn(this.everythingPrinted(), this.secrets);
    if (leaked.length > 0) throw new Error(`Printed: ${leaked.join('; ')}`);
    return seen;
  }

  everythingPrinted(): string {
    return this.printed.map((process) => process.said()).join('\n');
  }

  async close(): Promise<void> {
    await this.invariants.end();
    await Promise.all([...this.apis, ...this.workers].map(({ process }) => process.stop('SIGKILL')));
    await this.client.connection.close();
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
    await this.temporal.stop();
    await this.postgres.stop();
    await this.receiver.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A trial of one row on a stage of its own. */
export async function onStage(
  { row, ...options }: StageOptions & { row: number },
  trial: (stage: Stage) => Promise<string>,
): Promise<void> {
  const stage = await Stage.start(options);
  try {
    saw(row, await trial(stage));
    saw(row, await stage.judge());
  } finally {
    await stage.close();
  }
}

/** Trials of these rows on one stage, which is judged and closed after the last of them. */
export function shareStage(rows: readonly number[]): () => Stage {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  }, 120_000);
  afterAll(async () => {
    try {
      const seen = await stage.judge();
      for (const row of rows) saw(row, seen);
    } finally {
      await stage.close();
    }
  }, 180_000);
  return () => stage;
}

/** What is told of a connection that goes live without a detour. */
export const WHOLE_STORY = ['domain.added', 'domain.verified', 'ssl.issued', 'domain.flow.completed'];

export const newName = (behaviour = 'auto'): string => `${randomUUID().slice(0, 8)}.${behaviour}.test`;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
