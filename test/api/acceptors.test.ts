import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ListenOptions } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { listenTogether, portOf } from '../../src/api/acceptors.ts';

const CONNECTIONS = 160;
const AT = { host: '127.0.0.1', port: 0, highWaterMark: 16_384 };

/** Opens connections from another thread, which waits for none of our turns. */
const CLIENT = `
  const { connect } = require('node:net');
  const { workerData } = require('node:worker_threads');
  for (let n = 0; n < ${CONNECTIONS}; n++) connect(workerData, '127.0.0.1').on('error', () => undefined);
`;

test('many connections that arrive together are accepted in few turns of the event loop', async () => {
  const server = createServer();
  let accepted = 0;
  server.on('connection', () => accepted++);
  const acceptors = await listenTogether(server, AT);
  const client = new Worker(CLIENT, { eval: true, workerData: portOf(server) });
  await once(client, 'online');
  let turns = 0;
  while (accepted < CONNECTIONS) {
    if (accepted > 0) turns++;
    busyFor(5);
    await nextTurn();
  }
  expect(turns).toBeLessThan(CONNECTIONS / 2);
  await client.terminate();
  for (const each of acceptors) each.close();
});

test('where sockets cannot share a port, one socket listens', async () => {
  const server = createServer();
  const listen = server.listen.bind(server) as (options: ListenOptions) => typeof server;
  server.listen = ((options: ListenOptions) => {
    if (options.reusePort !== true) return listen(options);
    process.nextTick(() => server.emit('error', Object.assign(new Error('not supported'), { code: 'ENOTSUP' })));
    return server;
  }) as typeof server.listen;
  expect(await listenTogether(server, AT)).toEqual([server]);
  expect(portOf(server)).toBeGreaterThan(0);
  server.close();
});

/** Keeps this thread busy, as a flood does. */
function busyFor(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}
