import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { runningServers } from '../../src/embedded/orphans.ts';
import { openTemporal } from '../../src/temporal/client.ts';
import { ApiUser } from '../../test/support/fixtures/api-user.ts';
import { Service } from '../../test/support/fixtures/service.ts';
import { startHttpFront } from '../../test/support/proxies/http-front.ts';
import type { AcmeWorld } from '../../test/support/fixtures/acme-world.ts';
import { EDGE_TARGET } from '../../test/support/fixtures/internet-lab.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import type { Challenge } from '../../src/domain/connection/challenge.ts';
import { connectionWorkflowId } from '../../workflows/messages.ts';
import { median } from './median.ts';
import { startBenchPostgres } from './postgres.ts';
import { costByProgram } from './process-cost.ts';
import { startLineProcess } from './line-process.ts';

/** Costs of one connection from create to live, and how many became live in a second. */
export interface RoadCost {
  /** Processor time in milliseconds, by program. */
  byProgram: Map<string, number>;
  cpuMs: number;
  perSecond: number;
  /** Events in the history when the connection became live, as the median. */
  events: number;
  statements: number;
  /** BEGIN, COMMIT and the like, which are not among the statements. */
  transactionControl: number;
  questions: number;
  providerCalls: number;
}

const GIVE_UP_MS = 180_000;
/** Time until the work that follows the last `live` has ended, such as the first check for drift. */
const AFTERMATH_MS = 1_500;

/** A version of the service as `npm start` runs it, with the world's DNS and CA, on a Postgres that counts statements. */
export async function startRoad(
  { internet, env }: AcmeWorld,
  { checkout, edge = 'internal' }: { checkout?: string | undefined; edge?: 'internal' | 'acme' } = {},
) {
  const postgres = await startBenchPostgres({
    durable: true,
    settings: { shared_preload_libraries: 'pg_stat_statements', max_connections: '200' },
  });
  await inDatabase(postgres.url, (client) => client.query('CREATE DATABASE service'));
  const url = postgres.url.replace(/postgres$/, 'service');
  await inDatabase(url, (client) => client.query('CREATE EXTENSION pg_stat_statements'));
  // Caddy starts at most ten orders in ten seconds, so only its own CA shows how many hostnames the service can take.
  const ofEdge = edge === 'acme' ? { ACME_EMAIL: 'operator@saas-product.com' } : { EDGE: edge, EDGE_CA_FILE: '' };
  const settings = { ...env, ...ofEdge, DATABASE_URL: url, ORIGIN_ALLOW_PRIVATE: 'true' };
  const service = await Service.start(join(await tempFolder(), 'data'), settings, checkout);
  const { temporal_address } = (await runningServers(service.dataDir))!;
  const temporal = openTemporal({ TEMPORAL_ADDRESS: temporal_address }, '');
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  // The demo's receiver gets every event. bench/webhooks.ts measures the cost of events.
  await database.query('DELETE FROM webhook_endpoints');
  const { base_url, test } = await service.demo();
  const user = new ApiUser(base_url, test);
  let applicationId = test.application_id;
  let providerCalls = 0;
  const front = await startHttpFront(internet.powerdns.apiUrl, { writesInTurn: true });
  front.intercept = ({ isAnswered }) => Promise.resolve(void (providerCalls += isAnswered ? 0 : 1));

  const costs = () => {
    const all = costByProgram(service.pid);
    for (const [name, ms] of costByProgram(postgres.pid)) all.set(name, (all.get(name) ?? 0) + ms);
    return all;
  };

  async function statements() {
    const { rows } = await database.query<{ control: boolean; calls: number }>(`
      SELECT query ~* '^(begin|commit|rollback|start transaction|savepoint|release)' AS control, sum(calls)::float AS calls
      FROM pg_stat_statements(true) AS s JOIN pg_database d ON d.oid = s.dbid
      WHERE d.datname = 'service' AND query NOT LIKE '%of the benchmark%' GROUP BY 1`);
    const calls = (control: boolean) => rows.find((row) => row.control === control)?.calls ?? 0;
    return { work: calls(false), control: calls(true) };
  }

  const questions = () =>
    internet.questions === undefined
      ? 0
      : internet.questions.authoritative.total() + internet.questions.resolver.total();

  async function counters() {
    return { cpu: costs(), sql: await statements(), questions: questions(), providerCalls };
  }

  async function untilLive(hostnames: readonly string[]): Promise<void> {
    const end = performance.now() + GIVE_UP_MS;
    for (;;) {
      const { rows } = await database.query<{ hostname: string; state: string; reason: string }>(
        `SELECT hostname, state, findings::text AS reason /* a question of the benchmark */
         FROM connections WHERE hostname = ANY($1) AND state <> 'live'`,
        [hostnames],
      );
      if (rows.length === 0) return;
      if (performance.now() > end) throw new Error(`Not live in time: ${JSON.stringify(rows.slice(0, 3))}`);
      await pause(100);
    }
  }

  /** Returns the median number of events until the workflow knew that its connection is live. */
  async function eventsEach(hostnames: readonly string[]): Promise<number> {
    const { rows } = await database.query<{ id: string; hostname: string }>(
      'SELECT id, hostname FROM connections WHERE hostname = ANY($1)',
      [hostnames],
    );
    const lengths = await Promise.all(
      rows.map(async (row) => {
        const { historyLength } = await temporal.client.workflow.getHandle(connectionWorkflowId(row)).describe();
        return historyLength;
      }),
    );
    return median(lengths);
  }

  return {
    user,
    database,
    /** Creates hostnames in new domains of real customers. */
    async domains(count: number): Promise<string[]> {
      const made: string[] = [];
      while (made.length < count) made.push(await internet.domain()); // PowerDNS writes one change at a time
      return made;
    },
    /** Gives the application a credential for every zone that exists now. */
    async giveCredential() {
      const credentials = { api_url: front.url, api_key: internet.powerdns.apiKey };
      const path = `/applications/${applicationId}/credentials`;
      const { status, body } = await user.call('POST', path, { provider: 'powerdns', credentials });
      if (status !== 201) throw new Error(`The credential was refused: ${JSON.stringify(body)}`);
    },
    /** Makes connections belong to an application without a credential from now on. */
    async withoutCredential() {
      const { body } = await user.call('POST', '/applications', { name: 'Records by their owners' });
      applicationId = String(body['id']);
    },
    /** Adds the records of a connection as its owner would, a second after the create. */
    async addManually(hostname: string, challenge: Challenge) {
      await pause(1_000);
      const domain = hostname.slice(hostname.indexOf('.') + 1);
      await internet.powerdns.set(domain, challenge.name, 'TXT', `"${challenge.value}"`);
      await internet.powerdns.set(domain, hostname, 'CNAME', `${EDGE_TARGET}.`);
    },
    /** Connects all hostnames in parallel and measures what they cost until all are live. */
    async measure(
      hostnames: readonly string[],
      afterCreate?: (hostname: string, challenge: Challenge) => Promise<void>,
    ) {
      // The service would allow a tenant 60 new certificates in three hours.
      await database.query(`UPDATE certificate_orders SET ordered_at = ordered_at - interval '1 day'`);
      const before = await counters();
      const began = performance.now();
      const connect = async (hostname: string): Promise<void> => {
        const asked = { application_id: applicationId, hostname };
        const { status, body } = await user.call('POST', '/connections', asked);
        if (status === 503) return pause(1_000).then(() => connect(hostname)); // as clients do
        if (status !== 201) throw new Error(`${hostname} was refused: ${JSON.stringify(body)}`);
        await afterCreate?.(hostname, body['ownership_challenge'] as Challenge);
      };
      await Promise.all(hostnames.map(connect));
      await untilLive(hostnames);
      const seconds = (performance.now() - began) / 1_000;
      await pause(AFTERMATH_MS);
      const after = await counters();
      return costOf(before, after, { count: hostnames.length, seconds, events: await eventsEach(hostnames) });
    },
    /** Measures workflows with three activities of one SQL statement each, on the same servers. */
    async floor(count: number): Promise<{ cpuMs: number; perSecond: number }> {
      const script = join(import.meta.dirname, 'floor-server.ts');
      const worker = await startLineProcess([script, url, temporal_address]);
      await worker.ask('20'); // fills caches and compiles code
      const total = () => sum(costs()) + sum(costByProgram(worker.pid));
      const [before, began] = [total(), performance.now()];
      await worker.ask(String(count));
      const seconds = (performance.now() - began) / 1_000;
      const cpuMs = (total() - before) / count;
      await worker.stop();
      return { cpuMs, perSecond: count / seconds };
    },
    async stop() {
      await Promise.all([database.end(), temporal.connection.close()]);
      await service.stop();
      await Promise.all([postgres.stop(), front.stop()]);
    },
  };
}

interface Counters {
  cpu: Map<string, number>;
  sql: { work: number; control: number };
  questions: number;
  providerCalls: number;
}

function costOf(
  before: Counters,
  after: Counters,
  { count, seconds, events }: { count: number; seconds: number; events: number },
): RoadCost {
  const each = (then: number, now: number) => (now - then) / count;
  const byProgram = new Map([...after.cpu].map(([name, ms]) => [name, each(before.cpu.get(name) ?? 0, ms)]));
  return {
    byProgram,
    cpuMs: sum(byProgram),
    perSecond: count / seconds,
    events,
    statements: each(before.sql.work, after.sql.work),
    transactionControl: each(before.sql.control, after.sql.control),
    questions: each(before.questions, after.questions),
    providerCalls: each(before.providerCalls, after.providerCalls),
  };
}

const sum = (costs: Map<string, number>): number => [...costs.values()].reduce((total, ms) => total + ms, 0);

async function inDatabase(url: string, body: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await body(client).finally(() => client.end());
}
