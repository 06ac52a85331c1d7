import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { chown, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { cacheDir } from '../../src/embedded/folders.ts';
import { freePort, freePorts } from '../../src/embedded/ports.ts';
import { startPostgres, type Postgres } from '../../src/embedded/postgres.ts';
import { startTemporal, type Temporal } from '../../src/embedded/temporal.ts';
import { searchAttributeTypes } from '../../src/temporal/search-attributes.ts';
import { until } from '../support/until.ts';

const onProgress = () => undefined;

/** A durable Postgres and a Temporal that can be killed, restarted on the same ports, copied and lost. */
export class Servers {
  readonly password = randomBytes(16).toString('hex');
  private readonly folder: string;
  private dataDir: string;
  private postgres!: Postgres;
  private temporal: Temporal | undefined;
  private client!: Client;

  private constructor(folder: string) {
    this.folder = folder;
    this.dataDir = join(folder, 'postgres');
  }

  static async start(folder: string): Promise<Servers> {
    const servers = new Servers(folder);
    const [port, temporalPort] = await freePorts([undefined, undefined]);
    await Promise.all([servers.startPostgres(port), servers.startTemporal(temporalPort)]);
    return servers;
  }

  /** The superuser's URL. */
  get postgresUrl(): string {
    return this.postgres.url;
  }

  get temporalAddress(): string {
    return this.temporal?.address ?? '';
  }

  get temporalClient(): Client {
    return this.client;
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

  /** Kills Postgres like a power cut: the postmaster dies, and its children follow. */
  async killPostgres(): Promise<void> {
    process.kill(this.postgres.pid, 'SIGKILL');
    await until(() => !isAlive(this.postgres.pid));
  }

  /** Copies the running database's files like pg_basebackup, and returns the folder. */
  async baseBackup(): Promise<string> {
    const backup = join(this.folder, `backup-${randomUUID().slice(0, 8)}`);
    const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to]);
    const server = new pg.Client({ connectionString: this.postgres.url });
    await server.connect();
    await server.query(`SELECT pg_backup_start('copy', true)`);
    await copy(this.dataDir, backup);
    const { rows } = await server.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    await server.end();
    // The backup includes the WAL up to its end.
    await copy(`${join(this.dataDir, 'pg_wal')}/.`, join(backup, 'pg_wal'));
    await this.writeAsPostgres(join(backup, 'backup_label'), rows[0]?.labelfile ?? '');
    await rm(join(backup, 'postmaster.pid'));
    return backup;
  }

  private async writeAsPostgres(file: string, text: string): Promise<void> {
    await writeFile(file, text);
    const { uid, gid } = await stat(this.dataDir);
    await chown(file, uid, gid);
  }

  /** Starts Postgres from another data folder, at the same address. */
  async startPostgresFrom(folder: string): Promise<void> {
    this.dataDir = folder;
    await this.startPostgres();
  }

  /** Starts a synchronous standby, which must have every commit before it is acknowledged. */
  async startStandby(): Promise<{ folder: string; promote(): Promise<void> }> {
    const folder = await this.baseBackup();
    await this.writeAsPostgres(join(folder, 'standby.signal'), '');
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

  /** Deletes Temporal's data, as after a lost disk. */
  async wipeTemporal(): Promise<void> {
    for (const end of ['', '-wal', '-shm']) await rm(join(this.folder, `temporal.db${end}`), { force: true });
  }

  async startTemporal(port = Number(this.temporalAddress.split(':')[1])): Promise<void> {
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
    const { pid } = this.temporal!;
    process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(pid));
  }

  async stop(): Promise<void> {
    await this.client.connection.close();
    await this.temporal?.stop();
    await this.postgres.stop();
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
