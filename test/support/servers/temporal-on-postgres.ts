import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { startChild, type Child } from '../../../src/embedded/child.ts';
import { freePorts, isListening } from '../../../src/embedded/ports.ts';
import { until } from '../until.ts';
import { obtainTestServer } from './test-servers.ts';

const HOST = '127.0.0.1';
const RETENTION_S = 30 * 24 * 3_600;
const ALREADY_EXISTS = 6;
const onProgress = (line: string) => void process.stderr.write(`${line}\n`);

/** Temporal as in production: the real server with all four roles, and with history and visibility in Postgres. */
export class TemporalOnPostgres {
  readonly address: string;
  private readonly program: string;
  private readonly env: NodeJS.ProcessEnv;
  private child: Child | undefined;

  private constructor(program: string, env: NodeJS.ProcessEnv) {
    this.program = program;
    this.env = env;
    this.address = `${HOST}:${env['FRONTEND_GRPC_PORT']}`;
  }

  /** Creates both schemas, starts the server and creates the namespace, as docker-compose.yml does. */
  static async start(postgresUrl: string, folder: string): Promise<TemporalOnPostgres> {
    const program = await obtainTestServer('temporal-server', { onProgress });
    // Of its own, because several test files start a server in the same Postgres.
    const database = `temporal_${randomUUID().slice(0, 8)}`;
    await makeSchema(postgresUrl, database, 'postgresql/v12/temporal');
    await makeSchema(postgresUrl, `${database}_visibility`, 'postgresql/v12/visibility');
    const server = new TemporalOnPostgres(program, await environment(postgresUrl, database, folder));
    await server.launch();
    await server.createNamespace();
    return server;
  }

  get pid(): number {
    return this.child!.pid;
  }

  async launch(): Promise<void> {
    this.child = await startChild({
      name: 'The Temporal server',
      executable: this.program,
      args: ['--allow-no-auth', 'start'],
      env: this.env,
      stopWith: [{ signal: 'SIGTERM', graceMs: 10_000 }],
    });
    const { child } = this;
    await until(async () => child.hasExited() || (await isListening(Number(this.env['FRONTEND_GRPC_PORT']))), 30_000);
    if (child.hasExited()) throw new Error(await child.exited);
  }

  /** Kills the server like a power failure. */
  async kill(): Promise<void> {
    process.kill(this.pid, 'SIGKILL');
    await this.child!.exited;
  }

  async stop(): Promise<void> {
    await this.child?.stop();
  }

  private async createNamespace(): Promise<void> {
    const request = { namespace: 'default', workflowExecutionRetentionPeriod: { seconds: RETENTION_S } };
    await until(async () => {
      const connection = await Connection.connect({ address: this.address, connectTimeout: '2s' });
      try {
        await connection.workflowService.registerNamespace(request as never);
        return true;
      } catch (error) {
        // The client asked again after an answer that came too late.
        if (isGrpcServiceError(error) && error.code.valueOf() === ALREADY_EXISTS) return true;
        throw error;
      } finally {
        await connection.close();
      }
    }, 30_000);
  }
}

async function makeSchema(postgresUrl: string, database: string, schema: string): Promise<void> {
  const { hostname, port, username, password } = new URL(postgresUrl);
  const program = await obtainTestServer('temporal-sql', { onProgress });
  const where = ['--plugin', 'postgres12', '--ep', hostname, '-p', port, '-u', username, '--db', database];
  const steps = [['create'], ['setup-schema', '-v', '0.0'], ['update-schema', '--schema-name', schema]];
  for (const step of steps)
    await promisify(execFile)(program, [...where, ...step], { env: { ...process.env, SQL_PASSWORD: password } });
}

async function environment(postgresUrl: string, database: string, folder: string): Promise<NodeJS.ProcessEnv> {
  const { hostname, port, username, password } = new URL(postgresUrl);
  const dynamicConfig = join(folder, 'dynamic.yaml');
  await writeFile(dynamicConfig, 'matching.enableFairness:\n  - value: true\n');
  const names = ['FRONTEND', 'MATCHING', 'HISTORY', 'WORKER'].flatMap((role) => [
    `${role}_GRPC_PORT`,
    `${role}_MEMBERSHIP_PORT`,
  ]);
  names.push('FRONTEND_HTTP_PORT');
  const ports = await freePorts(names.map(() => undefined));
  return {
    ...process.env,
    DB: 'postgres12',
    DBNAME: database,
    VISIBILITY_DBNAME: `${database}_visibility`,
    POSTGRES_SEEDS: hostname,
    DB_PORT: port,
    POSTGRES_USER: username,
    POSTGRES_PWD: password,
    BIND_ON_IP: HOST,
    NUM_HISTORY_SHARDS: '4',
    LOG_LEVEL: 'error',
    DYNAMIC_CONFIG_FILE_PATH: dynamicConfig,
    ...Object.fromEntries(names.map((name, index) => [name, String(ports[index])])),
  };
}
