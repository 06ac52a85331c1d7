import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startApiProcess, startWorkerProcess, type HalfProcess } from '../support/fixtures/half-process.ts';

/** A version of the service: the folder with its sources, and settings that only its workers get. */
export interface Version {
  folder: string;
  workerEnv?: NodeJS.ProcessEnv;
}

const PROCESSES = 2;

/** Two API processes and two workers, which are replaced one by one by another version's. */
export class Fleet {
  private apis: HalfProcess[] = [];
  private workers: HalfProcess[] = [];
  private readonly ended: HalfProcess[] = [];
  private readonly databaseUrl: string;
  private readonly env: NodeJS.ProcessEnv;

  constructor(databaseUrl: string, env: NodeJS.ProcessEnv) {
    this.databaseUrl = databaseUrl;
    this.env = env;
  }

  readonly ports = (): number[] => this.apis.map(({ port }) => port);

  /** Runs an operator's command of a version, and returns what it prints. */
  async cli({ folder }: Version, ...args: string[]): Promise<string> {
    const env = { ...process.env, ...this.env, DATABASE_URL: this.databaseUrl };
    try {
      return (await promisify(execFile)(process.execPath, ['src/cli/main.ts', ...args], { cwd: folder, env })).stdout;
    } catch (error) {
      const { stderr } = error as { stderr: string };
      throw new Error(`cli ${args.join(' ')}: ${stderr.trim().slice(0, 1_000).replaceAll('\n', ' ')}`, {
        cause: error,
      });
    }
  }

  /** Replaces the workers one by one, then the API processes. A new process is healthy before an old one stops. */
  async become(version: Version): Promise<void> {
    await this.replaceWorkers(version);
    await this.replaceApis(version);
  }

  async replaceWorkers({ folder, workerEnv = {} }: Version): Promise<void> {
    const program = join(folder, 'src/main/worker.ts');
    this.workers = await this.replaced(this.workers, () =>
      startWorkerProcess(this.databaseUrl, { ...this.env, ...workerEnv }, program),
    );
  }

  async replaceApis({ folder }: Version): Promise<void> {
    const program = join(folder, 'src/main/api.ts');
    this.apis = await this.replaced(this.apis, () => startApiProcess(this.databaseUrl, this.env, program));
  }

  /** Stops every worker. API processes continue. */
  async stopWorkers(): Promise<void> {
    for (const worker of this.workers.splice(0)) await this.end(worker);
  }

  async stop(): Promise<void> {
    await this.stopWorkers();
    for (const api of this.apis.splice(0)) await this.end(api);
  }

  /** Returns what every process has printed so far. */
  printed(): string {
    return [...this.ended, ...this.apis, ...this.workers].map((process) => process.output()).join('\n');
  }

  private async replaced(old: HalfProcess[], start: () => Promise<HalfProcess>): Promise<HalfProcess[]> {
    for (let i = 0; i < PROCESSES; i++) {
      old.push(await start());
      if (old.length > PROCESSES) await this.end(old.shift()!);
    }
    return old;
  }

  private async end(process: HalfProcess): Promise<void> {
    this.ended.push(process);
    const code = await process.stop('SIGTERM');
    if (code !== 0) throw new Error(`A process ended with exit code ${code}:\n${process.output().slice(-500)}`);
  }
}

/** Returns the ids that the workflows of a version give to `patched`. */
const patchesOf = ({ folder }: Version): string[] =>
  globSync('workflows/**/*.ts', { cwd: folder })
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .flatMap((text) => [...text.matchAll(/\bpatched\('([^']+)'\)/g)].map(([, id]) => id!));

/** Returns the patches that the newer version knows and the older one does not. */
export function newPatches(older: Version, newer: Version): string[] {
  const known = new Set(patchesOf(older));
  return [...new Set(patchesOf(newer))].filter((id) => !known.has(id));
}
