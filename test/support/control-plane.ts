import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { pino } from 'pino';
import { createPool, none, sql, type Pool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import type { State } from '../../src/domain/connection/connection.ts';
import { Admission } from '../../src/edge/admission.ts';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { internalHandler } from '../../src/edge/internal.ts';
import type { PublicAuthority } from '../../src/edge/public-authority.ts';
import { StreamRelays } from '../../src/edge/stream-relays.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { EVERY_NETWORK } from '../../src/net/address.ts';
import { createTestDatabase } from './database.ts';
import { newConnection } from './new-connection.ts';
import { until } from './until.ts';

/** The two answers the edge needs, over a real database and the real table, without the rest of the service. */
export interface ControlPlane {
  pool: Pool;
  databaseUrl: string;
  tenant: NewTenant;
  admission: Admission;
  port: number;
  /** Names the edge asked about, in order. */
  asked: string[];
  /** A connection that went as far as the state; returns its id. */
  connect(hostname: string, state?: State, tenant?: NewTenant): Promise<string>;
  /** A live companion of the connection; returns its id. */
  connectCompanion(hostname: string, main: string): Promise<string>;
  setState(id: string, state: State): Promise<void>;
  setOrigin(originUrl: string | null, tenant?: NewTenant): Promise<void>;
  setDisplayName(name: string | null): Promise<void>;
  /** Nobody answers until `answer` is called. */
  fallSilent(): Promise<void>;
  answer(): Promise<void>;
  stop(): Promise<void>;
}

export async function startControlPlane({
  allowPrivateOrigins = true,
  authority = () => null,
  nameServers = ['127.0.0.1:9'],
}: {
  allowPrivateOrigins?: boolean;
  authority?: (pool: Pool) => PublicAuthority | null;
  nameServers?: string[];
} = {}): Promise<ControlPlane> {
  const database = await createTestDatabase();
  const pool = await createPool(database.url, { max: 5, name: 'control plane' });
  const tenant = await createTenant(pool, 'Edge');
  const admission = new Admission(database.url, pino({ level: 'silent' }));
  const asked: string[] = [];
  const relays = new StreamRelays(admission);
  const handle = internalHandler(admission, {
    relays,
    sandboxNames: 'admitted',
    authority: authority(pool),
    originDial: { allowed: allowPrivateOrigins ? EVERY_NETWORK : [], nameServers },
    noteAsk: () => undefined,
  });
  const port = await freePort();
  let server: Server | undefined;

  const plane: ControlPlane = {
    pool,
    databaseUrl: database.url,
    tenant,
    admission,
    port,
    asked,
    async connect(hostname, state = 'live', owner = tenant) {
      const row = await newConnection(pool, owner, hostname);
      await plane.setState(row.id, state);
      await untilEveryCopyKnows(pool, { connectionId: row.id });
      return row.id;
    },
    async connectCompanion(hostname, main) {
      const row = await newConnection(pool, tenant, hostname, { companionOf: main });
      await plane.setState(row.id, 'live');
      await untilEveryCopyKnows(pool, { connectionId: row.id });
      return row.id;
    },
    async setState(id, state) {
      await pool.query(sql.type(none)`UPDATE connections SET state = ${state}, version = version + 1 WHERE id = ${id}`);
    },
    async setOrigin(originUrl, owner = tenant) {
      await pool.query(sql.type(none)`
        UPDATE applications SET origin_url = ${originUrl} WHERE id = ${owner.test.application_id}
      `);
      await untilEveryCopyKnows(pool, { applicationId: owner.test.application_id });
    },
    async setDisplayName(name) {
      await pool.query(sql.type(none)`
        UPDATE applications SET display_name = ${name} WHERE id = ${tenant.test.application_id}
      `);
      await untilEveryCopyKnows(pool, { applicationId: tenant.test.application_id });
    },
    async fallSilent() {
      server?.closeAllConnections();
      server?.close();
      server = undefined;
      await Promise.resolve();
    },
    async answer() {
      server = createServer((request, response) => {
        const name = new URL(request.url ?? '', 'http://x').searchParams.get('domain');
        if (name !== null) asked.push(name);
        if (!handle(request, response)) response.writeHead(404).end();
      });
      await once(server.listen(port, '127.0.0.1'), 'listening');
    },
    async stop() {
      await plane.fallSilent();
      await relays.stop();
      await admission.stop();
      await pool.end();
      await database.drop();
    },
  };
  await plane.answer();
  await until(() => admission.isTrusted);
  return plane;
}
