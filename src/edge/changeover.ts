import { Agent, request } from 'undici';
import type { Logger } from 'pino';

interface Options {
  /** Unix sockets of Caddy's admin API: one for each Caddy on this machine. */
  sockets: readonly string[];
  log: Logger;
  /** Shortest time between two changeovers. */
  everyMs?: number;
}

/** Each changeover is two reloads of Caddy, so that one tenant's uploads must not keep an edge reloading. */
const EVERY_MS = 10_000;
const MOST_NAMES = 1_000;
const LIMIT_MS = 10_000;
const CERTIFICATES = '/config/apps/tls/certificates';

/**
 * Makes Caddy drop certificates that it obtained itself and holds in memory, so that the next handshake asks for ours.
 * Caddy drops a certificate when its hostname leaves the list of managed ones, so the hostname is added to the list and
 * the list is removed again. Where on-demand applies, the first step obtains nothing.
 */
export class Changeover {
  private readonly agents: readonly Agent[];
  private readonly log: Logger;
  private readonly everyMs: number;
  private waiting = new Set<string>();
  private nextAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor({ sockets, log, everyMs = EVERY_MS }: Options) {
    this.agents = sockets.map((socketPath) => new Agent({ connect: { socketPath }, connections: 1 }));
    this.log = log;
    this.everyMs = everyMs;
  }

  /** Changes hostnames over, together with others that are due at the same time. */
  request(hostnames: readonly string[]): void {
    for (const hostname of hostnames) this.waiting.add(hostname);
    if (this.waiting.size > 0) this.schedule();
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.running;
    await Promise.all(this.agents.map((agent) => agent.destroy()));
  }

  private schedule(): void {
    this.timer ??= setTimeout(
      () => {
        this.timer = undefined;
        this.nextAt = performance.now() + this.everyMs;
        this.running = this.run();
      },
      Math.max(0, this.nextAt - performance.now()),
    );
  }

  private async run(): Promise<void> {
    const names = [...this.waiting].slice(0, MOST_NAMES);
    for (const name of names) this.waiting.delete(name);
    try {
      await this.changeOver(names);
    } catch (error) {
      this.log.warn(
        { err: error, names: names.length },
        'Caddy did not drop its certificates. The changeover is repeated.',
      );
      for (const name of names) this.waiting.add(name);
    }
    if (this.waiting.size > 0) this.schedule();
  }

  /** Changes the hostnames over at each Caddy. One that does not run has nothing in memory, but not all can be down. */
  private async changeOver(names: readonly string[]): Promise<void> {
    const results = await Promise.allSettled(
      this.agents.map(async (agent) => {
        await call(agent, 'POST', JSON.stringify({ automate: names }));
        await call(agent, 'DELETE');
      }),
    );
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
    const isAway = failures.length === results.length ? () => false : doesNotRun;
    const failure = failures.find((reason) => !isAway(reason));
    if (failure !== undefined) throw failure;
  }
}

async function call(agent: Agent, method: 'POST' | 'DELETE', body?: string): Promise<void> {
  const answer = await request(`http://caddy${CERTIFICATES}`, {
    method,
    dispatcher: agent,
    signal: AbortSignal.timeout(LIMIT_MS),
    headers: { 'content-type': 'application/json' },
    body: body ?? null,
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`Caddy answered ${answer.statusCode}: ${text.slice(0, 200)}`);
}

/** Caddy opens its socket before it serves, and deletes it when it ends. A killed Caddy leaves a file without listener. */
const doesNotRun = (reason: Error): boolean =>
  'code' in reason && (reason.code === 'ENOENT' || reason.code === 'ECONNREFUSED');

/** Returns the sockets of an admin setting such as `unix//run/caddy/a.sock|0600 unix//run/caddy/b.sock`; none for others. */
export const adminSockets = (setting: string): string[] =>
  setting.split(/\s+/).flatMap((one) => /^unix\/(\/[^|]+)/.exec(one)?.[1] ?? []);
