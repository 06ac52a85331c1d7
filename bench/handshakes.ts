import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { saveCertificate } from '../src/certificates/save.ts';
import { migrate } from '../src/db/migrate.ts';
import { createPool, none, sql, type Pool } from '../src/db/pool.ts';
import { createTenant } from '../src/db/tenant/tenants.ts';
import { untilEveryCopyKnows } from '../src/edge/barrier.ts';
import { startCaddy } from '../src/embedded/caddy.ts';
import { obtainServer } from '../src/embedded/servers.ts';
import { openVault } from '../src/vault/vault.ts';
import { startTestAuthority } from '../test/support/certificate-authority.ts';
import { registerCertificateEdge } from '../test/support/fixtures/certificate-edge.ts';
import { newConnection } from '../test/support/fixtures/new-connection.ts';
import { tempFolder } from '../test/support/temp-folder.ts';
import { inParallel } from './support/in-parallel.ts';
import { median } from './support/median.ts';
import { startBenchPostgres } from './support/postgres.ts';
import { cpuMs, table } from './support/process-cost.ts';

/**
 * Measures the processor time of a TLS handshake, of Caddy and its agent together: for ordered certificates, which Caddy
 * asks the agent for, next to certificates that Caddy obtained itself and holds in memory. Both are ECDSA P-256 with one
 * intermediate, at the same Caddy, in alternating rounds. `npm run bench:handshakes -- [handshakes a round]`.
 */
const A_ROUND = Number(process.argv[2] ?? 600);
const ROUNDS = Number(process.env['ROUNDS'] ?? 9);
/** Caddy's HTTP client keeps two idle connections, so more parallel questions would open new ones. */
const WIDTH = Number(process.env['WIDTH'] ?? 2);
const HOSTNAMES = 20;
const TITLES = {
  full: 'Full handshakes',
  resumed: 'Resumed handshakes',
};
type Kind = keyof typeof TITLES;
const GOALS: Partial<Record<Kind, number>> = { full: 1.45, resumed: 1.05 };
const SOURCES = ['ordered', 'edge'] as const;
type Source = (typeof SOURCES)[number];
const namesOf = (source: Source): string[] => Array.from({ length: HOSTNAMES }, (_, i) => `${source}-${i}.shop.com`);

/** Processor time of one handshake, in milliseconds. */
interface Cost {
  caddy: number;
  agent: number;
}

const postgres = await startBenchPostgres();
await migrate(postgres.url);
const pool = await createPool(postgres.url, { max: 5, name: 'bench' });
const edge = await registerCertificateEdge(pool, postgres.url);
const agent = await edge.trustedAgent();
const caddy = await startCaddy({
  executable: await obtainServer('caddy', { onProgress: () => undefined }),
  dataDir: await tempFolder(),
  agent: {
    address: `127.0.0.1:${agent.port}`,
    resolver: '127.0.0.1:9',
    certificates: [`127.0.0.1:${edge.ports[0]}`, `127.0.0.1:${edge.ports[1]}`],
    segment: edge.segment,
  },
  control: '127.0.0.1:1',
  issuer: { kind: 'internal' },
  onProgress: () => undefined,
});
try {
  // With the agent alone, Caddy would take the missing second answerer for the last word on its own certificates.
  await edge.startAnswerer();
  await fill(pool);
  const sessions = new Map<string, Buffer>();
  for (const hostname of SOURCES.flatMap(namesOf)) sessions.set(hostname, (await handshake(hostname)).session);
  for (const kind of Object.keys(TITLES) as Kind[]) {
    const costs: Record<Source, Cost[]> = { ordered: [], edge: [] };
    // The first two rounds fill pools and compile the agent's JavaScript.
    for (let n = -2; n < ROUNDS; n++)
      for (const source of n % 2 === 0 ? SOURCES : SOURCES.toReversed()) {
        const cost = await round(source, kind, sessions);
        if (n >= 0) costs[source].push(cost);
      }
    report(kind, costs);
  }
} finally {
  await caddy.stop();
  await edge.stop();
  await pool.end();
  await postgres.stop();
}

/** Connects the hostnames, and saves a certificate for half of them. */
async function fill(database: Pool): Promise<void> {
  const [tenant, authority] = [await createTenant(database, 'Bench'), await startTestAuthority()];
  const vault = openVault(`k1:${randomBytes(32).toString('base64')}`);
  for (const hostname of SOURCES.flatMap(namesOf)) {
    const connection = await newConnection(database, tenant, hostname);
    await database.query(sql.type(none)`
      UPDATE connections SET state = 'live', version = version + 1 WHERE id = ${connection.id}
    `);
    if (hostname.startsWith('ordered'))
      await database.transaction((tx) =>
        saveCertificate(tx, vault, connection, { source: 'ordered', ...authority.issue([hostname]) }, new Date()),
      );
    await untilEveryCopyKnows(database, { connectionId: connection.id });
  }
}

/** Makes a round of handshakes, and returns the cost of one. */
async function round(source: Source, kind: Kind, sessions: ReadonlyMap<string, Buffer>): Promise<Cost> {
  const hostnames = namesOf(source);
  const before = [cpuMs(caddy.pid), cpuMs(agent.pid)] as const;
  const turns = Array.from({ length: A_ROUND }, (_, i) => hostnames[i % HOSTNAMES]!);
  await inParallel(turns, WIDTH, null, async (hostname) => {
    const session = kind === 'resumed' ? sessions.get(hostname) : undefined;
    const { isReused, issuer } = await handshake(hostname, session);
    if (isReused !== (session !== undefined)) throw new Error(`${hostname} was resumed: ${isReused}.`);
    if (!isReused && issuer.startsWith('Test authority') !== (source === 'ordered'))
      throw new Error(`${hostname} has a certificate of ${issuer}.`);
  });
  return { caddy: (cpuMs(caddy.pid) - before[0]) / A_ROUND, agent: (cpuMs(agent.pid) - before[1]) / A_ROUND };
}

/** Makes a TLS 1.3 handshake. It ends with the session ticket, which Caddy sends after its own part is finished. */
async function handshake(hostname: string, session?: Buffer) {
  const socket: TLSSocket = connect({
    host: caddy.host,
    port: caddy.httpsPort,
    servername: hostname,
    minVersion: 'TLSv1.3',
    rejectUnauthorized: false,
    ...(session === undefined ? {} : { session }),
  });
  const [[ticket]] = (await Promise.all([once(socket, 'session'), once(socket, 'secureConnect')])) as [
    [Buffer],
    unknown,
  ];
  const seen = {
    session: ticket,
    isReused: socket.isSessionReused(),
    issuer: session === undefined ? String(socket.getPeerCertificate().issuer.CN) : '',
  };
  socket.destroy();
  return seen;
}

function report(kind: Kind, costs: Record<Source, Cost[]>): void {
  const together = (cost: Cost): number => cost.caddy + cost.agent;
  const ms = (source: Source, of: (cost: Cost) => number): string => `${median(costs[source].map(of)).toFixed(3)} ms`;
  const row = (source: Source): string[] =>
    [source, ms(source, ({ caddy: part }) => part), ms(source, ({ agent: part }) => part), ms(source, together)]; // prettier-ignore
  const ratio = (of: (cost: Cost) => number): number =>
    median(costs.ordered.map((ours, i) => of(ours) / of(costs.edge[i]!)));
  const [goal, reached] = [GOALS[kind], ratio(together)];
  const verdict = goal === undefined ? '' : ` (goal ≤ ${goal}: ${reached <= goal ? 'yes' : 'no'})`;
  table(`${TITLES[kind]}: ${ROUNDS} rounds of ${A_ROUND}, processor time of one`, [
    ['certificate', 'Caddy', 'agent', 'together'],
    ...SOURCES.map(row),
    ['ratio', ratio(({ caddy: part }) => part).toFixed(2), '', `${reached.toFixed(2)}${verdict}`],
  ]);
}
