import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as overHttps } from 'node:https';
import { request as overHttp } from 'node:http';
import { parseArgs } from 'node:util';

/**
 * Runs on the host of the containers: sends five requests a second to the API and five to a site over the edge, each on a
 * connection of its own, and prints a line of JSON when it sends one and when that one has ended. It ends by itself after an hour.
 */
const { values } = parseArgs({
  options: { url: { type: 'string' }, key: { type: 'string' }, hostname: { type: 'string' }, ca: { type: 'string' } },
});
const { url = '', key = '', hostname = '', ca = '' } = values;
const EVERY_MS = 200;
const MOST = (60 * 60_000) / EVERY_MS;
const LIMIT_MS = 20_000;

function send(kind: string, make: () => ReturnType<typeof overHttp>): void {
  const [id, at] = [randomUUID(), Date.now()];
  const report = (seen: string | null) => process.stdout.write(`${JSON.stringify({ id, kind, at, seen })}\n`);
  report(null);
  const request = make();
  request.on('response', (response) => {
    response.resume();
    response.on('end', () => report(String(response.statusCode)));
    response.on('error', ({ message }) => report(message));
  });
  request.on('timeout', () => request.destroy(new Error('no answer in time')));
  request.on('error', ({ message }) => report(message));
  request.end();
}

for (let sent = 0; sent < MOST; sent++) {
  send('api', () => overHttp(url, { headers: { authorization: `Bearer ${key}` }, agent: false, timeout: LIMIT_MS }));
  send('site', () =>
    overHttps({
      host: '127.0.0.1',
      servername: hostname,
      headers: { host: hostname },
      ca: readFileSync(ca),
      agent: false,
      timeout: LIMIT_MS,
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
}
