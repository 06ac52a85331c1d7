import { liveThroughOutage } from '../test/support/fixtures/outage-lab.ts';

/**
 * Kills everything except Caddy and its agent under load, for two minutes by default, and restarts agent and Caddy
 * meanwhile. Exits with 1 if a request failed. `npm run trial:outage [-- SECONDS]`.
 */
const seconds = Number(process.argv[2] ?? 120);
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const { requests, failures, worstMs, archived, newCertificates } = await liveThroughOutage(seconds, print);
print(
  `${requests} requests in ${seconds} s: ${failures.length} failed (${[...new Set(failures)].join(', ') || 'none'}).`,
);
print(
  `The slowest took ${Math.round(worstMs)} ms. The archived hostname answered ${[...archived].map((status) => status || 'by refusing the handshake').join(', ')}.`,
);
print(`${newCertificates} certificates were ordered again.`);
process.exit(failures.length === 0 && newCertificates === 0 && !archived.has(200) ? 0 : 1);
