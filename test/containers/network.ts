import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startChild, type Child } from '../../src/embedded/child.ts';
import { runTool } from '../../src/embedded/run-tool.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

/** Two addresses of the trial's own network: everything that is outside the containers. */
export const OUTSIDE = { dns: '10.255.77.53', origin: '10.255.77.80', originPort: 8_000 };
export const ORIGIN_URL = `http://${OUTSIDE.origin}:${OUTSIDE.originPort}`;

/**
 * A network namespace for the engine and everything it runs. It has no link to this machine or beyond, so no container
 * can reach a host that the trial did not start.
 */
export class TrialNetwork {
  readonly name = `containers-${process.pid}`;
  private readonly children: Child[] = [];

  static async create(): Promise<TrialNetwork> {
    const network = new TrialNetwork();
    await run('ip', ['netns', 'add', network.name]);
    const inside = (...args: string[]) => run('ip', ['-n', network.name, ...args]);
    await inside('link', 'set', 'lo', 'up');
    await inside('link', 'add', 'outside', 'type', 'bridge');
    for (const address of [OUTSIDE.dns, OUTSIDE.origin]) await inside('addr', 'add', `${address}/24`, 'dev', 'outside');
    await inside('link', 'set', 'outside', 'up');
    await network.start('The outside', process.execPath, [join(import.meta.dirname, 'outside.ts')]);
    await until(async () => (await runTool(...network.command('curl', ['-s', ORIGIN_URL]))).ok);
    return network;
  }

  /** `nsenter` and not `ip netns exec`, which mounts a new /sys without the control groups that the engine needs. */
  command(program: string, args: readonly string[]): [string, string[]] {
    return ['nsenter', [`--net=/run/netns/${this.name}`, program, ...args]];
  }

  async start(name: string, program: string, args: readonly string[]): Promise<Child> {
    const [executable, all] = this.command(program, args);
    const stopWith = [{ signal: 'SIGTERM', graceMs: 20_000 }] as const;
    const child = await startChild({ name, executable, args: all, stopWith, env: process.env });
    this.children.push(child);
    return child;
  }

  /** Runs a program to its end, as an operator on the host of the containers. Returns its output. */
  async run(program: string, args: readonly string[]): Promise<string> {
    const { stdout } = await run(...this.command(program, args));
    return stdout;
  }

  async remove(): Promise<void> {
    for (const child of this.children.splice(0).reverse()) await child.stop();
    await run('ip', ['netns', 'delete', this.name]);
  }
}
