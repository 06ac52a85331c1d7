import express from 'express';
import pg from 'pg';
import { randomBytes } from 'node:crypto';
import type { ApiDeps } from '../../src/api/deps.ts';
import { startApi } from '../../src/api/server.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { newConnection } from '../../test/support/fixtures/new-connection.ts';
import { openBenchApi } from './graph.ts';

/**
 * Runs one server of the benchmark in a separate process, so that it can have a processor core of its own. The server
 * is the service's API or, for comparison, a bare Express app.
 */
const [kind, databaseUrl = '', portText] = process.argv.slice(2);
const port = Number(portText);
const url = `http://127.0.0.1:${port}`;

const pool = await createPool(databaseUrl, { max: 10, name: 'bench' });
const tenant = await createTenant(pool, 'Bench');
const connectionId = await seed(pool, tenant);
await (kind === 'bare' ? startBare() : startApi(await serviceDeps(), '127.0.0.1', { port }));
// Answers every message of the parent process with the processor time so far, in microseconds.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.stdout.write(
  `${JSON.stringify({ url, key: tenant.live.key, connectionId, applicationId: tenant.live.application_id })}\n`,
);

/** Creates the connection that the benchmark reads, and returns its id. */
async function seed(on: Pool, owner: NewTenant): Promise<string> {
  const hostname = `shop-${owner.tenant_id}.bench-site.com`;
  return (await newConnection(on, owner, hostname, { environment: 'live', target: 'edge.bench.net' })).id;
}

/** Starts an Express app with a single query, which shows the minimum cost of any API on this machine. */
function startBare(): Promise<void> {
  const client = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const app = express().disable('x-powered-by').disable('etag');
  app.get('/v1/connections/:id', async (request, response) => {
    const query = { name: 'read', text: 'SELECT * FROM connections WHERE id = $1', values: [request.params.id] };
    response.json((await client.query<object>(query)).rows[0]);
  });
  return new Promise((resolve) => app.listen(port, '127.0.0.1', () => resolve()));
}

/** Returns the dependencies of the real service. Rate limits stay on, with a limit that no load reaches. */
async function serviceDeps(): Promise<ApiDeps> {
  const key = `bench:${randomBytes(32).toString('base64')}`;
  const env = {
    BASE_URL: url,
    TEMPORAL_ADDRESS: '127.0.0.1:1', // no server runs there
    EDGE_CNAME_TARGET: 'edge.bench.net',
    CREDENTIAL_KEYS: key,
    WIDGET_TOKEN_KEYS: key,
    CURSOR_KEY: key,
    DATABASE_POOL: '10',
    LOG_FORMAT: 'json',
  };
  const { api } = await openBenchApi(env, databaseUrl);
  return {
    ...api,
    limits: { ...api.limits, key: { perSecond: 1e6, burst: 1e6 }, tenant: { perSecond: 1e6, burst: 1e6 } },
  };
}
