import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import autocannon from 'autocannon';
import pg from 'pg';
import { encryptFor } from '../src/certificates/for-edges.ts';
import { migrate } from '../src/db/migrate.ts';
import type { AdmissionChange } from '../src/domain/edge/admission.ts';
import { readEdgeKey } from '../src/edge/edge-key.ts';
import { Journal } from '../src/edge/journal.ts';
import { KeyStore, signingKey } from '../src/edge/key-store.ts';
import { builtEdge } from '../src/embedded/edge-build.ts';
import { startCaddy, type Caddy, type CaddyOptions } from '../src/embedded/caddy.ts';
import { startChild } from '../src/embedded/child.ts';
import { freePorts, isListening } from '../src/embedded/ports.ts';
import { obtainServer } from '../src/embedded/servers.ts';
import { visitOver } from '../test/support/fixtures/edge-lab.ts';
import { startAgentProcess, type HalfProcess } from '../test/support/fixtures/half-process.ts';
import { makeCertificate } from '../test/support/servers/pebble.ts';
import { tempFolder } from '../test/support/temp-folder.ts';
import { until } from '../test/support/until.ts';
import { median } from './support/median.ts';
import { cpuMs, table } from './support/process-cost.ts';
import { startBenchPostgres } from './support/postgres.ts';

/**
 * Measures requests through the edge next to a plain Caddy reverse_proxy in the same run, to http and https origins, with
 * stock Caddy and, if `npm run build:edge` has built it, with our module; signed requests next to unsigned ones; how soon both
 * processes of the edge serve again after a restart; and a journal of a million hostnames. `npm run bench:edge`.
 */
const SECONDS = Number(process.env['SECONDS'] ?? 3);
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const CONNECTIONS = [1, 8, 64];
/** Leaves out everything but the comparison with a plain Caddy. */
const isShort = process.env['ONLY'] === 'loads';
/** Time to fill certificates, pools and caches, and to compile the agent's JavaScript, which takes about ten thousand requests. */
const WARM_UP_SECONDS = 4;
const NAMES = 100_000;
const JOURNAL_NAMES = Number(process.env['JOURNAL_NAMES'] ?? 1_000_000);
/** Goals for the efficiency by processor time with our module, next to a plain Caddy. */
const GOALS = { http: 0.7, https: 0.85 };
const SIGNED_GOAL = 0.97;
const SCHEMES = ['http', 'https'] as const;
type Scheme = (typeof SCHEMES)[number];
const APPLICATIONS = { http: '00000000-0000-4000-8000-000000000001', https: '00000000-0000-4000-8000-000000000002' };
/** An application with an http origin and a secret: its requests are signed. */
const SIGNED = { application: '00000000-0000-4000-8000-000000000003', secret: '00000000-0000-4000-8000-000000000004' };
type Site = Scheme | 'signed';
const nameOf = (site: Site): string => `${site}-origin.shop.com`;

interface Load {
  perSecond: number;
  cpuMs: number;
}

const NO_LOAD: Load = { perSecond: NaN, cpuMs: NaN };

interface Contestant {
  port: number;
  pids(): number[];
}

if (process.argv[2] === 'origins') await serveOrigins(process.argv[3] ?? '');
else await compare();

async function compare(): Promise<void> {
  const folder = await tempFolder();
  makeCertificate(join(folder, 'origin.key'), join(folder, 'origin.pem'), 'DNS:localhost');
  const origins = fork(import.meta.filename, ['origins', folder]);
  const [ports] = (await once(origins, 'message')) as [Record<Scheme, number>];
  const postgres = await startBenchPostgres();
  try {
    await migrate(postgres.url);
    await fill(postgres.url, ports);
    const edge = await startEdge(postgres.url, folder, 'stock');
    const withModule = existsSync(builtEdge()) ? await startEdge(postgres.url, folder, 'module') : undefined;
    const plain = await startPlain(folder, ports);
    try {
      if (!isShort) await compareSigned(edge);
      await compareLoads({ edge, ...(withModule && { module: withModule }), plain });
      if (!isShort) await restartBoth(edge);
    } finally {
      await Promise.all([edge.stop(), withModule?.stop(), plain.stop()]);
    }
    if (isShort) return;
    await journalOf(JOURNAL_NAMES);
  } finally {
    origins.kill();
    await postgres.stop();
  }
}

async function fill(databaseUrl: string, ports: Record<Scheme, number>): Promise<void> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  for (const scheme of SCHEMES) {
    await database.query(`INSERT INTO admission_origins VALUES ($1, nextval('admission_sequence'), $2)`, [
      APPLICATIONS[scheme],
      `${scheme}://localhost:${ports[scheme]}`,
    ]);
    await database.query(
      `INSERT INTO admissions VALUES ($1, nextval('admission_sequence'), 'serving', gen_random_uuid(), $2)`,
      [nameOf(scheme), APPLICATIONS[scheme]],
    );
  }
  await database.query(
    `INSERT INTO admission_origins (application_id, sequence, origin_url, secrets)
     VALUES ($1, nextval('admission_sequence'), $2, $3)`,
    [SIGNED.application, `http://localhost:${ports.http}`, JSON.stringify([{ id: SIGNED.secret, from: 0 }])],
  );
  await database.query(
    `INSERT INTO admissions VALUES ($1, nextval('admission_sequence'), 'serving', gen_random_uuid(), $2)`,
    [nameOf('signed'), SIGNED.application],
  );
  await database.query(
    `INSERT INTO admissions SELECT 'customer-' || i || '.shop-' || i % 4999 || '.com', nextval('admission_sequence'),
     'serving', gen_random_uuid(), $2 FROM generate_series(1, $1::int) i`,
    [NAMES, APPLICATIONS.http],
  );
  await database.end();
}

/** Puts the secret into the agent's folder, encrypted for its key pair, as the control plane would send it. */
async function giveSecret(folder: string): Promise<void> {
  const { privateKey, publicKey } = await readEdgeKey(join(folder, 'edge.key'));
  const store = await KeyStore.open(join(folder, 'signing'), privateKey, signingKey);
  const key = randomBytes(32).toString('base64');
  await store.save(SIGNED.secret, await encryptFor(publicKey, { id: SIGNED.secret, key }));
}

interface Edge extends Contestant {
  root: string;
  stop(): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
}

async function startEdge(databaseUrl: string, folder: string, kind: 'stock' | 'module'): Promise<Edge> {
  const agentFolder = join(folder, `${kind}-agent`);
  await giveSecret(agentFolder);
  const generationFile = kind === 'module' ? join(agentFolder, 'generation') : undefined;
  const agentPorts = await freePorts([undefined, undefined]);
  const options: CaddyOptions = {
    executable: kind === 'module' ? builtEdge() : await obtainServer('caddy', { onProgress: () => undefined }),
    dataDir: join(folder, kind),
    generationFile,
    agent: { address: `127.0.0.1:${agentPorts[0]}`, resolver: `127.0.0.1:${agentPorts[1]}` },
    control: '127.0.0.1:1',
    issuer: { kind: 'internal' },
    originTls: `tls_trust_pool file "${join(folder, 'origin.pem')}"`,
    onProgress: () => undefined,
  };
  const startAgent = (): Promise<HalfProcess> =>
    startAgentProcess(databaseUrl, {
      folder: agentFolder,
      ports: agentPorts,
      settings: { DNS_RESOLVERS: '127.0.0.1:9', EDGE_GENERATION_FILE: generationFile },
    });
  let agent = await startAgent();
  let caddy: Caddy = await startCaddy(options);
  const { httpPort, httpsPort } = caddy;
  await until(async () => {
    const health = await fetch(`http://127.0.0.1:${agentPorts[0]}/healthz`);
    return ((await health.json()) as { trusted: boolean }).trusted;
  }, 120_000);
  return {
    port: httpsPort,
    pids: () => [caddy.pid, agent.pid],
    root: await readFile(caddy.caFile ?? '', 'utf8'),
    async stop() {
      await Promise.all([caddy.stop(), agent.stop()]);
    },
    async kill() {
      await Promise.all([caddy.stop(), agent.stop('SIGKILL')]);
    },
    async start() {
      [agent, caddy] = await Promise.all([startAgent(), startCaddy({ ...options, httpPort, httpsPort })]);
    },
  };
}

async function startPlain(folder: string, ports: Record<Scheme, number>) {
  const [httpPort, httpsPort] = await freePorts([undefined, undefined]);
  const home = join(folder, 'plain');
  await mkdir(home);
  const site = (scheme: Scheme, transport: string): string =>
    `https://${nameOf(scheme)} {\n\ttls internal\n\treverse_proxy 127.0.0.1:${ports[scheme]} {\n${transport}\t}\n}\n`;
  const tls = `\t\ttransport http {\n\t\t\ttls\n\t\t\ttls_server_name localhost\n\t\t\ttls_trust_pool file "${join(folder, 'origin.pem')}"\n\t\t}\n`;
  const globals = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n\tdefault_bind 127.0.0.1\n\tstorage file_system ${home}\n}\n`;
  await writeFile(join(home, 'Caddyfile'), globals + site('http', '') + site('https', tls));
  const child = await startChild({
    name: 'A plain Caddy',
    executable: await obtainServer('caddy', { onProgress: () => undefined }),
    args: ['run', '--config', join(home, 'Caddyfile'), '--adapter', 'caddyfile'],
    env: { PATH: process.env['PATH'], HOME: home },
    stopWith: [{ signal: 'SIGTERM', graceMs: 5_000 }],
  });
  await until(() => isListening(httpsPort));
  return { port: httpsPort, pids: () => [child.pid], stop: child.stop };
}

/** Prints rate and processor time a request of each contestant. Efficiency is plain Caddy's processor time by its own. */
async function compareLoads(contestants: Record<string, Contestant> & { plain: Contestant }): Promise<void> {
  const rows = [['origin', 'connections', 'contestant', 'rate', 'to plain', 'processor time', 'efficiency', 'goal']];
  for (const scheme of SCHEMES)
    for (const connections of CONNECTIONS) {
      for (const one of Object.values(contestants)) await load(one, scheme, 50, WARM_UP_SECONDS);
      const rounds: Record<string, Load>[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const loads: Record<string, Load> = {};
        for (const [name, one] of Object.entries(contestants))
          loads[name] = await load(one, scheme, connections, SECONDS);
        rounds.push(loads);
      }
      for (const name of Object.keys(contestants)) {
        const over = (of: (mine: Load, plain: Load) => number) =>
          median(rounds.map((loads) => of(loads[name] ?? NO_LOAD, loads['plain'] ?? NO_LOAD)));
        const efficiency = over((mine, plain) => plain.cpuMs / mine.cpuMs);
        const goal = name === 'module' ? `≥ ${GOALS[scheme]}: ${efficiency >= GOALS[scheme] ? 'yes' : 'no'}` : '';
        rows.push([scheme, String(connections), name, `${Math.round(over((mine) => mine.perSecond))}/s`, over((mine, plain) => mine.perSecond / plain.perSecond).toFixed(2), `${over((mine) => mine.cpuMs).toFixed(3)} ms`, efficiency.toFixed(2), goal]); // prettier-ignore
      }
    }
  table('Requests through the edge (Caddy and its agent) next to a plain Caddy', rows);
}

/** Compares signed with unsigned requests through the same edge to the same origin, in turn. */
async function compareSigned(edge: Edge): Promise<void> {
  const rows = [['connections', 'unsigned', 'signed', 'signed to unsigned', 'processor time a request', 'goal']];
  for (const connections of [1, 50]) {
    for (const site of ['http', 'signed'] as const) await load(edge, site, 50, WARM_UP_SECONDS);
    const rounds: { unsigned: Load; signed: Load }[] = [];
    for (let round = 0; round < 2 * ROUNDS; round++)
      rounds.push({
        unsigned: await load(edge, 'http', connections, SECONDS),
        signed: await load(edge, 'signed', connections, SECONDS),
      });
    const ratio = median(rounds.map(({ signed, unsigned }) => signed.perSecond / unsigned.perSecond));
    const cost = median(rounds.map(({ signed, unsigned }) => signed.cpuMs / unsigned.cpuMs));
    const of = (who: 'unsigned' | 'signed', what: keyof Load) => median(rounds.map((round) => round[who][what]));
    const rate = (who: 'unsigned' | 'signed') => `${Math.round(of(who, 'perSecond'))}/s`;
    rows.push([String(connections), rate('unsigned'), rate('signed'), ratio.toFixed(3), `${of('signed', 'cpuMs').toFixed(3)} ms (unsigned ${of('unsigned', 'cpuMs').toFixed(3)} ms, ratio ${cost.toFixed(3)})`, `≥ ${SIGNED_GOAL}: ${ratio >= SIGNED_GOAL ? 'yes' : 'no'}`]); // prettier-ignore
  }
  table('Signed requests next to unsigned ones through the same edge', rows);
}

async function load({ port, pids }: Contestant, scheme: Site, connections: number, seconds: number): Promise<Load> {
  const before = pids().map(cpuMs);
  const result = await autocannon({
    url: `https://127.0.0.1:${port}/`,
    servername: nameOf(scheme),
    headers: { host: nameOf(scheme) },
    connections,
    duration: seconds,
  });
  const failed = result.non2xx + result.errors;
  if (failed > 0)
    throw new Error(`${failed} of ${result.requests.total} requests failed: ${JSON.stringify(result.statusCodeStats)}`);
  const spent = pids().reduce((sum, pid, index) => sum + cpuMs(pid) - (before[index] ?? 0), 0);
  return { perSecond: result.requests.average, cpuMs: spent / result.requests.total };
}

/** Measures the time from the start of both processes, after both were killed, until a visitor gets an answer. */
async function restartBoth(edge: Edge): Promise<void> {
  await edge.kill();
  const began = performance.now();
  const starting = edge.start();
  let status = 0;
  while (status !== 200) status = await visitOver(edge.port, edge.root, nameOf('https')).then((visit) => visit.status, () => 0); // prettier-ignore
  const seconds = (performance.now() - began) / 1_000;
  await starting;
  process.stdout.write(`\nRestarted with ${NAMES} names, the edge serves again after ${seconds.toFixed(1)} s.\n`);
}

async function journalOf(names: number): Promise<void> {
  const folder = await tempFolder();
  const journal = await Journal.open(folder);
  for (let from = 0; from < names; from += 10_000) {
    const changes = Array.from({ length: 10_000 }, (_, i): AdmissionChange => {
      const n = from + i + 1;
      return { hostname: `customer-${n}.shop-${n % 4_999}.com`, sequence: n, standing: 'serving', certificate_id: null, route: null, application_id: APPLICATIONS.http }; // prettier-ignore
    });
    await journal.take(journal.begin(), changes);
  }
  await journal.close();
  const sizes = await Promise.all(['snapshot', 'journal'].map((file) => stat(join(folder, file)).then(({ size }) => size, () => 0))); // prettier-ignore
  const began = performance.now();
  const again = await Journal.open(folder);
  const seconds = (performance.now() - began) / 1_000;
  const known = again.lookup(`customer-1.shop-1.com`).standing;
  await again.close();
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
  process.stdout.write(`A journal of ${names} names has ${megabytes.toFixed(0)} MB and is read in ${seconds.toFixed(1)} s (the first is ${known}).\n`); // prettier-ignore
}

/** Serves the origins in a separate process, so that their work counts for neither side. */
async function serveOrigins(folder: string): Promise<void> {
  const answer = (_request: unknown, response: { end(text: string): void }) => response.end('Hello.');
  const [key, cert] = ['origin.key', 'origin.pem'].map((file) => readFileSync(join(folder, file)));
  const servers = { http: createHttp(answer), https: createHttps({ key, cert }, answer) };
  for (const server of Object.values(servers)) await once(server.listen(0, '::'), 'listening');
  const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;
  (process as unknown as ChildProcess).send({ http: portOf(servers.http), https: portOf(servers.https) });
}
