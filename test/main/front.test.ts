import { join } from 'node:path';
import { createPool } from '../../src/db/pool.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { startChild } from '../../src/embedded/child.ts';
import { freePort, freePorts, isListening } from '../../src/embedded/ports.ts';
import { obtainServer } from '../../src/embedded/servers.ts';
import { createTestDatabase } from '../support/fixtures/database.ts';
import { startApiProcess, type HalfProcess } from '../support/fixtures/half-process.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const CADDYFILE = join(import.meta.dirname, '../../src/front/Caddyfile');

/**
 * Runs the proxy of docker-compose.yml in front of two API processes, which are replaced one by one as in the runbook.
 */
test('every request is answered while each API process is replaced', async () => {
  const database = await createTestDatabase();
  const pool = await createPool(database.url, { max: 1, name: 'test' });
  const { test: owner } = await createTenant(pool, 'Front');
  await pool.end();
  const ports = await freePorts([undefined, undefined]);
  const settings = { RATE_LIMIT_KEY: '0', RATE_LIMIT_TENANT: '0', EDGE: 'off' };
  const start = async (port: number): Promise<HalfProcess> =>
    startApiProcess(database.url, { ...settings, PORT: String(port), INTERNAL_PORT: String(await freePort()) });
  const apis = await Promise.all(ports.map(start));
  const port = await freePort();
  const front = await startChild({
    name: 'The front',
    executable: await obtainServer('caddy', { onProgress: () => undefined }),
    args: ['run', '--config', CADDYFILE, '--adapter', 'caddyfile'],
    env: {
      PATH: process.env['PATH'],
      HOME: await tempFolder(),
      FRONT_PORT: String(port),
      FRONT_UPSTREAMS: ports.map((one) => `127.0.0.1:${one}`).join(' '),
    },
    stopWith: [{ signal: 'SIGTERM', graceMs: 10_000 }],
  });
  await until(() => isListening(port, '127.0.0.1'));

  const failed: unknown[] = [];
  let [answered, isOver] = [0, false];
  const request = async (): Promise<void> => {
    const hostname = `n${crypto.randomUUID()}.test`;
    const response = await fetch(`http://127.0.0.1:${port}/v1/connections`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ application_id: owner.application_id, hostname }),
    });
    if (response.status === 201) answered++;
    else failed.push([response.status, await response.text()]);
  };
  const traffic = [1, 2, 3].map(async () => {
    while (!isOver) await request().catch((error: unknown) => failed.push(error));
  });
  const more = async (): Promise<void> => {
    const before = answered;
    await until(() => answered + failed.length > before + 15, 60_000);
  };
  try {
    for (const [index, at] of ports.entries()) {
      await more();
      expect(await apis[index]!.stop('SIGTERM')).toBe(0);
      await more();
      apis[index] = await start(at);
    }
    await more();
    expect(failed).toEqual([]);
  } finally {
    isOver = true;
    await Promise.all(traffic);
    await front.stop();
    await Promise.all(apis.map((api) => api.stop()));
    await database.drop();
  }
}, 180_000);
