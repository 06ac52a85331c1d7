import { createServer } from 'node:http';
import { once } from 'node:events';
import { sql, none, type Pool } from '../db/pool.ts';
import { getApplication } from '../db/applications.ts';
import { freePort } from '../embedded/ports.ts';

const ORIGIN = /^http:\/\/127\.0\.0\.1:(\d+)$/;

/**
 * Plays the tenant's product, so that a first connected name leads somewhere. It answers for the demo application until
 * that is given an origin of its own.
 */
export async function startDemoOrigin(pool: Pool, applicationId: string): Promise<{ stop(): Promise<void> }> {
  const before = (await getApplication(pool, applicationId))?.origin_url ?? null;
  const port = await freePort(Number(ORIGIN.exec(before ?? '')?.[1] ?? 0) || undefined);
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.end(`Hello from the demo origin. You asked for ${String(request.headers['x-forwarded-host'])}.\n`);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  if (before === null || ORIGIN.test(before))
    await pool.query(sql.type(none)`
      UPDATE applications SET origin_url = ${`http://127.0.0.1:${port}`} WHERE id = ${applicationId}
    `);
  return {
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
