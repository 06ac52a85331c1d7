import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { codeBlock } from '../support/code-blocks.ts';
import type { Engine } from './engine.ts';
import { OUTSIDE, type TrialNetwork } from './network.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Settings for a host without a public address. Everything else is as README describes. */
const SETTINGS = {
  EDGE: 'internal',
  EDGE_CNAME_TARGET: 'edge.example.com',
  DNS_RESOLVERS: OUTSIDE.dns,
  ORIGIN_ALLOW_PRIVATE: '10.255.77.0/24',
};

/** A container as `docker inspect` shows it. */
export interface Container {
  Id: string;
  Name: string;
  RestartCount: number;
  State: { Pid: number; Status: string; ExitCode: number; Health?: { Status: string } };
  Config: { User: string; Env: string[]; Image: string; Labels: Record<string, string> };
  HostConfig: {
    ReadonlyRootfs: boolean;
    CapDrop: string[] | null;
    CapAdd: string[] | null;
    SecurityOpt: string[] | null;
    Memory: number;
    PidsLimit: number | null;
  };
}

/** An operator with a checkout, an engine and the documentation, who types its commands. */
export class Stranger {
  readonly folder: string;
  private readonly engine: Engine;
  private readonly network: TrialNetwork;
  /** Variables of their shell. */
  readonly shell: NodeJS.ProcessEnv = {};

  constructor(engine: Engine, network: TrialNetwork, folder: string) {
    this.engine = engine;
    this.network = network;
    this.folder = join(folder, 'domain-connection-service');
  }

  /** Copies the files that a clone of the repository has. */
  async clone(): Promise<void> {
    const listed = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
    for (const file of listed.stdout.trim().split('\n')) {
      await mkdir(dirname(join(this.folder, file)), { recursive: true });
      await cp(join(ROOT, file), join(this.folder, file)).catch(() => undefined); // deleted, but not committed yet
    }
  }

  /** Runs commands in the checkout, on the host of the containers. The first one that fails ends them. */
  async types(script: string): Promise<string> {
    const env = { ...process.env, ...this.engine.env, ...this.shell };
    const command = this.network.command('sh', ['-ec', script]);
    const { stdout } = await run(...command, { cwd: this.folder, env, maxBuffer: 1 << 28 });
    return stdout.trim();
  }

  /** Returns the lines of a code block of the documentation. */
  linesOf(page: string, begins: string): string[] {
    return codeBlock(page, begins)
      .code.trim()
      .split(/(?<!\\)\n/);
  }

  async edits(settings: Record<string, string> = SETTINGS): Promise<void> {
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    await appendFile(join(this.folder, '.env'), `\n${lines.join('')}`);
  }

  readsFile(path: string): Promise<string> {
    return readFile(join(this.folder, path), 'utf8');
  }

  async containers(service: string): Promise<Container[]> {
    const ids = await this.types(`docker compose ps --all --quiet ${service}`);
    return this.engine.inspect<Container>(ids.split('\n').filter(Boolean));
  }

  /** Calls the API with the test key. */
  async calls(method: string, path: string, body?: object): Promise<Answer> {
    const args = [
      '-s',
      '-X',
      method,
      `http://127.0.0.1:8080/v1${path}`,
      '-H',
      `Authorization: Bearer ${this.shell['TEST_KEY']}`,
    ];
    if (body !== undefined) args.push('-H', 'Content-Type: application/json', '-d', JSON.stringify(body));
    return Answer.parse(JSON.parse(await this.network.run('curl', args)));
  }
}

const Answer = z.looseObject({ id: z.string().optional(), state: z.string().optional() });
type Answer = z.infer<typeof Answer>;
