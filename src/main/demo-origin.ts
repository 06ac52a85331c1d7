import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import type { Pool } from '../db/pool.ts';
import { getApplication, setOriginUrl } from '../db/tenant/applications.ts';
import { freePort } from '../embedded/ports.ts';
import { readJson, writePrivate } from './local-keys.ts';

/** Content of demo-origin.json: the port of the previous start, which is used again if it is free. */
const Saved = z.object({ port: z.number() });
const urlAt = (port: number): string => `http://127.0.0.1:${port}`;

/**
 * Starts a web server as the origin of the demo application, which `npm start` creates. If the operator has given the
 * application another origin, starts nothing.
 */
export async function startDemoOrigin(
  pool: Pool,
  applicationId: string,
  dataDir: string,
): Promise<{ stop(): Promise<void> }> {
  const file = join(dataDir, 'demo-origin.json');
  const saved = Saved.safeParse(await readJson(file)).data?.port;
  const currentUrl = (await getApplication(pool, applicationId))?.origin_url ?? null;
  const mayReplace = currentUrl === null || (saved !== undefined && currentUrl === urlAt(saved));
  if (!mayReplace) return { stop: () => Promise.resolve() };
  const port = await freePort(saved);
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.end(`Hello from the demo origin. You requested ${String(request.headers['x-forwarded-host'])}.\n`);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  await writePrivate(file, { port });
  await setOriginUrl(pool, applicationId, urlAt(port));
  return {
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
