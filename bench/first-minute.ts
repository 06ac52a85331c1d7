import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { runningServers } from '../src/embedded/orphans.ts';
import { inParallel } from './support/in-parallel.ts';
import { startOrderingService } from './support/ordering-service.ts';
import { costByProgram, table } from './support/process-cost.ts';

/**
 * Measures how long customers who add their records manually wait: from the moment their records are published until the
 * hostname is verified, and until it is live. All of them wait at the same time with the page open, each in a zone of their own, and
 * publish one after another. The service runs as `npm start` runs it, with PowerDNS, a recursor, Pebble and Caddy.
 *   npm run bench:first-minute -- [customers] [seconds in which they publish]
 */
const SIZE = Number(process.argv[2] ?? 100);
/** Caddy orders ten certificates in ten seconds. The checks are frequent for the first two minutes. */
const PUBLISH_MS = Number(process.argv[3] ?? 105) * 1_000;
const GOAL = { verified: 2, live: 3 };
/** Time in which the cost of waiting is measured. */
const WAITING_MS = 12_000;
const GIVE_UP_MS = 60_000;

const lab = await startOrderingService('http://127.0.0.1:9', { counted: true });
const { internet, service, applicationId } = lab;
const database = new pg.Client({ connectionString: (await runningServers(service.dataDir))!.database_url });
await database.connect();
const pages = new AbortController();
try {
  // The demo's receiver gets every event. bench/webhooks.ts measures the cost of events.
  await database.query('DELETE FROM webhook_endpoints');
  await customer('warm'); // registers the account, fills caches and compiles code
  const zones = await inOrder(SIZE, () => internet.domain());
  const customers: Customer[] = [];
  await inParallel(zones, 8, null, async (zone) => void customers.push(await connect(`shop.${zone}`, zone)));
  await untilChecked();
  for (const { id } of customers) void openPage(id);
  const waiting = await costOfWaiting();
  const orders = setInterval(() => void clearOrders(), 1_000);
  const published = new Map<string, number>();
  const watching = waits(published);
  const began = performance.now();
  for (const [index, one] of customers.entries()) {
    await pause(Math.max(0, (index * PUBLISH_MS) / SIZE - (performance.now() - began)));
    await publish(one);
    published.set(one.id, performance.now());
  }
  const { verified, live } = await watching;
  clearInterval(orders);
  const row = (name: string, all: readonly number[], share: number, goal?: number) => {
    const seconds = at(all, share);
    return [name, `${seconds.toFixed(1)} s`, goal ? `${goal} s` : '', goal ? (seconds / goal).toFixed(2) : ''];
  };
  table(`${SIZE} customers wait, and publish within ${PUBLISH_MS / 1_000} s`, [
    ['', 'ours', 'goal', 'ratio'],
    row('record published to verified, p50', verified, 0.5),
    row('  p95', verified, 0.95, GOAL.verified),
    row('record published to live, p50', live, 0.5),
    row('  p95', live, 0.95, GOAL.live),
    ['questions at name servers, per customer and minute', waiting.authoritative.toFixed(0), '', ''],
    ['questions at resolvers, per customer and minute', waiting.resolver.toFixed(0), '', ''],
    ...waiting.cpu.map(([name, ms]) => [`  ${name}`, `${ms.toFixed(0)} ms`, '', '']),
    ['processor time, per customer and minute', `${sum(waiting.cpu).toFixed(0)} ms`, '', ''],
  ]);
} finally {
  pages.abort();
  await database.end();
  await lab.stop();
}

interface Customer {
  id: string;
  zone: string;
  records: { host: string; type: string; value: string }[];
}

async function connect(hostname: string, zone: string): Promise<Customer> {
  const { status, body } = await service.call('POST', '/connections', { application_id: applicationId, hostname });
  if (status !== 201) throw new Error(`${hostname} was refused: ${JSON.stringify(body)}`);
  const { body: detail } = await service.call('GET', `/connections/${String(body['id'])}`);
  return { id: String(body['id']), zone, records: detail['records_to_add'] as Customer['records'] };
}

/** Brings one hostname live. */
async function customer(label: string): Promise<void> {
  const zone = await internet.domain();
  const one = await connect(`${label}.${zone}`, zone);
  await publish(one);
  while ((await service.call('GET', `/connections/${one.id}`)).body['state'] !== 'live') await pause(200);
}

/** Publishes the challenge last. */
async function publish({ zone, records }: Customer): Promise<void> {
  for (const { host, type, value } of records.toSorted((a, b) => Number(a.type === 'TXT') - Number(b.type === 'TXT')))
    await internet.powerdns.set(zone, host, type, type === 'TXT' ? `"${value}"` : `${value}.`);
}

/** Polls as an open page does, after the time in Retry-After. */
async function openPage(id: string): Promise<void> {
  const { base_url, test } = await service.demo();
  while (!pages.signal.aborted) {
    const response = await fetch(`${base_url}/v1/connections/${id}`, {
      headers: { authorization: `Bearer ${test.key}` },
    });
    await response.arrayBuffer();
    await pause(Number(response.headers.get('retry-after') ?? 5) * 1_000, null, { signal: pages.signal }).catch(
      () => null,
    );
  }
}

async function untilChecked(): Promise<void> {
  const query = 'SELECT count(*)::int AS n FROM checks WHERE last_checked_at IS NOT NULL';
  while (((await database.query<{ n: number }>(query)).rows[0]?.n ?? 0) <= SIZE) await pause(200);
}

/** Returns the questions and the processor time of a waiting customer in a minute. */
async function costOfWaiting() {
  const { authoritative, resolver } = internet.questions!;
  const before = costByProgram(service.pid);
  for (const counter of [authoritative, resolver]) counter.reset();
  await pause(WAITING_MS);
  const share = 60_000 / WAITING_MS / SIZE;
  const after = costByProgram(service.pid);
  return {
    authoritative: authoritative.total() * share,
    resolver: resolver.total() * share,
    cpu: [...after]
      .map(([name, ms]) => [name, (ms - (before.get(name) ?? 0)) * share] as const)
      .filter(([, ms]) => ms >= 1),
  };
}

/** The service allows a tenant 60 new orders in three hours, which is not the question here. */
async function clearOrders(): Promise<void> {
  await database.query(`UPDATE certificate_orders SET ordered_at = ordered_at - interval '1 day'`).catch(() => null);
}

/** Polls twenty times a second from outside, and so returns the waits that a caller of the API would see. */
async function waits(published: ReadonlyMap<string, number>) {
  const verified = new Map<string, number>();
  const live = new Map<string, number>();
  let end = Infinity;
  while (live.size < SIZE && performance.now() < end) {
    if (published.size === SIZE) end = Math.min(end, performance.now() + GIVE_UP_MS);
    const { rows } = await database.query<{ id: string; type: string }>(
      "SELECT connection_id AS id, type FROM events WHERE type IN ('domain.verified', 'domain.flow.completed')",
    );
    for (const { id, type } of rows) {
      const seen = type === 'domain.verified' ? verified : live;
      const since = published.get(id);
      if (since !== undefined && !seen.has(id)) seen.set(id, performance.now() - since);
    }
    await pause(50);
  }
  const sorted = (all: Map<string, number>) => [...all.values()].sort((a, b) => a - b).map((ms) => ms / 1_000);
  return { verified: sorted(verified), live: sorted(live) };
}

async function inOrder<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) made.push(await make());
  return made;
}

/** Returns a percentile. A customer who is still waiting at the end counts as waiting forever. */
function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(SIZE - 1, Math.floor(share * SIZE))] ?? Infinity;
}

function sum(costs: readonly (readonly [string, number])[]): number {
  return costs.reduce((total, [, ms]) => total + ms, 0);
}
