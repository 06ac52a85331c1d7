import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runningServers } from '../../src/embedded/orphans.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { ApiUser } from './api-user.ts';
import { eventTypes } from './event-types.ts';
import { tempFolder } from './temp-folder.ts';
import { until } from './until.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface Demo {
  base_url: string;
  internal_url: string;
  temporal_address: string;
  temporal_ui_url: string;
  edge_https_url: string | null;
  tenant_id: string;
  test: { application_id: string; key: string };
  live: { application_id: string; key: string };
}

/** Settings of a machine on which Caddy can be had in no way: no program on PATH, no pip, no Go, nothing in the cache. */
export async function withoutCaddy(): Promise<NodeJS.ProcessEnv> {
  const [path, cache] = [await tempFolder(), await tempFolder()];
  await chmod(cache, 0o755);
  return { PATH: path, CACHE_DIR: cache, CADDY_PATH: '' };
}

/** The service as `npm start` runs it, in a process of its own, with its own Postgres and Temporal. */
export class Service {
  private readonly child: ChildProcess;
  private output = '';
  readonly exited: Promise<unknown>;
  readonly dataDir: string;

  private constructor(dataDir: string, env: NodeJS.ProcessEnv) {
    this.dataDir = dataDir;
    this.child = spawn(process.execPath, ['src/main/start.ts'], {
      cwd: ROOT,
      // Tests wait by asking more often than a key may.
      env: { ...process.env, LOG_FORMAT: 'json', LOG_LEVEL: 'warn', RATE_LIMIT_KEY: '0', DATA_DIR: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.exited = once(this.child, 'exit');
  }

  /** Starts without waiting for anything. */
  static launch(dataDir: string, env: NodeJS.ProcessEnv = {}): Service {
    return new Service(dataDir, env);
  }

  /** Starts on a free port and waits until it answers. */
  static async start(dataDir: string, env: NodeJS.ProcessEnv = {}): Promise<Service> {
    const port = await freePort();
    const service = new Service(dataDir, { PORT: String(port), ...env });
    await until(() => service.said.includes('Ready after') || service.child.exitCode !== null, 120_000);
    if (service.child.exitCode !== null) throw new Error(`The service did not start:\n${service.said}`);
    return service;
  }

  get said(): string {
    return this.output;
  }

  get exitCode(): number | null {
    return this.child.exitCode;
  }

  get pid(): number {
    return this.child.pid!;
  }

  async demo(): Promise<Demo> {
    return JSON.parse(await readFile(join(this.dataDir, 'demo.json'), 'utf8')) as Demo;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.child.kill(signal);
    await this.exited;
  }

  /** The demo tenant with its test key. */
  async user(): Promise<ApiUser> {
    const { base_url, test } = await this.demo();
    return new ApiUser(base_url, test);
  }

  async call(...request: Parameters<ApiUser['call']>): ReturnType<ApiUser['call']> {
    return (await this.user()).call(...request);
  }

  async connect(hostname: string): Promise<string> {
    return (await this.user()).connect(hostname);
  }

  async untilLive(id: string): Promise<Record<string, unknown>> {
    return (await this.user()).untilLive(id);
  }

  async eventTypes(id: string): Promise<string[]> {
    const servers = await runningServers(this.dataDir);
    return eventTypes(servers!.database_url, id);
  }
}
