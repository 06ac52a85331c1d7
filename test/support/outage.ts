import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isListening } from '../../src/embedded/ports.ts';
import { startEchoOrigin } from './echo-origin.ts';
import { visitOver, type Visit } from './edge-laboratory.ts';
import { Service } from './service.ts';
import { tempFolder } from './temp-folder.ts';
import { until } from './until.ts';

export interface Outage {
  /** Requests for serving names while nothing but Caddy and its agent ran. */
  requests: number;
  /** Those of them that were not answered 200, by what came instead. */
  failures: string[];
  worstMs: number;
  /** What the archived name answered; 0 for a handshake that was refused, as after a restart of Caddy. */
  archived: Set<number>;
  /** Certificates that the edge showed after its restart and had not shown before. */
  newCertificates: number;
}

const NAMES = 4;

/**
 * Runs the service, kills everything but Caddy and its agent, and visits names for so long. After a third of the time the
 * agent is killed and started again, after two thirds Caddy is stopped and started again, each as it was started before.
 * While Caddy itself is away nobody visits: no port, no answer.
 */
export async function liveThroughOutage(
  seconds: number,
  say: (line: string) => void = () => undefined,
): Promise<Outage> {
  const dataDir = await tempFolder();
  const service = await Service.start(dataDir, { DNS_RESOLVERS: '127.0.0.1:9' });
  const origin = await startEchoOrigin('origin');
  const { test, edge_https_url } = await service.demo();
  await service.call('PATCH', `/applications/${test.application_id}`, { origin_url: origin.url });
  const names = Array.from({ length: NAMES }, () => `${randomUUID().slice(0, 8)}.auto.test`);
  const ids = await Promise.all(names.map((name) => service.connect(name)));
  for (const id of ids) await service.untilLive(id);
  const { port } = new URL(edge_https_url ?? '');
  const root = readFileSync(join(dataDir, 'edge/root.crt'), 'utf8');
  const visit = (name: string): Promise<Visit> => visitOver(Number(port), root, name);
  const before = new Map(await Promise.all(names.map(async (name) => [name, (await visit(name)).serial] as const)));
  const [gone = '', ...serving] = names;
  await service.call('DELETE', `/connections/${ids[0]}`);

  const children = await recordedChildren(dataDir);
  const running = new Map(children.map(({ name, pid }) => [name, pid]));
  const killed = children.filter(({ name }) => name === 'Postgres' || name === 'Temporal').map(({ pid }) => pid);
  for (const pid of [service.pid, ...killed]) process.kill(pid, 'SIGKILL');
  await service.exited;
  say(`Killed the service, Postgres and Temporal; ${[...running.keys()].filter((name) => name.includes('edge')).join(' and ')} go on.`); // prettier-ignore

  const seen: Outage = { requests: 0, failures: [], worstMs: 0, archived: new Set(), newCertificates: 0 };
  const third = (seconds * 1_000) / 3;
  const load = startVisitors(visit, serving, gone, seen);
  await pause(third);
  await restart(running, 'the edge agent', 'SIGKILL');
  say(`The agent was killed and started again after ${seen.requests} requests.`);
  await pause(third);
  await load.hold();
  await restart(running, 'the edge', 'SIGTERM');
  await until(() => isListening(Number(port)));
  for (const name of serving) if ((await visit(name)).serial !== before.get(name)) seen.newCertificates++;
  load.goOn();
  say(`Caddy was started again after ${seen.requests} requests.`);
  await pause(third);
  await load.stop();

  for (const name of ['the edge', 'the edge agent']) process.kill(running.get(name) ?? 0, 'SIGKILL');
  await origin.stop();
  return seen;
}

async function recordedChildren(dataDir: string): Promise<{ name: string; pid: number }[]> {
  const record = JSON.parse(await readFile(join(dataDir, 'run.json'), 'utf8')) as {
    children: { name: string; pid: number }[];
  };
  return record.children;
}

function startVisitors(
  visit: (name: string) => Promise<Visit>,
  serving: readonly string[],
  gone: string,
  seen: Outage,
) {
  let isOver = false;
  let held: Promise<void> | undefined;
  let letGo: (() => void) | undefined;
  const waiting = new Set<Promise<void>>();
  const one = async (name: string): Promise<void> => {
    const began = performance.now();
    const result = await visit(name).then(
      ({ status }) => status,
      (error: unknown) => String(error),
    );
    if (name === gone) seen.archived.add(typeof result === 'number' ? result : 0);
    else {
      seen.requests++;
      seen.worstMs = Math.max(seen.worstMs, performance.now() - began);
      if (result !== 200) seen.failures.push(String(result));
    }
  };
  const visitor = async (first: number): Promise<void> => {
    const names = [...serving, gone];
    for (let i = first; !isOver; i++) {
      await held;
      const visiting = one(names[i % names.length] ?? gone);
      waiting.add(visiting);
      await visiting;
      waiting.delete(visiting);
      await pause(5);
    }
  };
  const visitors = [0, 1, 2, 3].map(visitor);
  return {
    async hold() {
      held = new Promise((resolve) => (letGo = resolve));
      await Promise.all(waiting);
    },
    goOn() {
      held = undefined;
      letGo?.();
    },
    async stop() {
      isOver = true;
      await Promise.all(visitors);
    },
  };
}

/** Ends a process and starts it as it was started: the same program, arguments, environment and folder. */
async function restart(running: Map<string, number>, name: string, signal: NodeJS.Signals): Promise<void> {
  const pid = running.get(name) ?? 0;
  const parts = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0').filter(Boolean);
  const [program = '', ...args] = parts('cmdline');
  const env: NodeJS.ProcessEnv = {};
  for (const entry of parts('environ')) env[entry.slice(0, entry.indexOf('='))] = entry.slice(entry.indexOf('=') + 1);
  process.kill(pid, signal);
  await until(() => !isRunning(pid));
  const child = spawn(program, args, { env, stdio: 'ignore', detached: true });
  await once(child, 'spawn');
  child.unref();
  running.set(name, child.pid ?? 0);
}

/** A process whose parent has died is reaped by another; one that is a zombie has ended too. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
