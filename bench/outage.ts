import { liveThroughOutage } from '../test/support/fixtures/outage-lab.ts';

/**
 * `npm run trial:outage [-- SECONDS]`: everything but Caddy and its agent is killed, for two minutes unless told otherwise,
 * under load; agent and Caddy are restarted meanwhile.
 */
const seconds = Number(process.argv[2] ?? 120);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const { requests, failures, worstMs, archived, newCertificates } = await liveThroughOutage(seconds, say);
say(
  `${requests} requests in ${seconds} s: ${failures.length} failed (${[...new Set(failures)].join(', ') || 'none'}).`,
);
say(
  `The slowest took ${Math.round(worstMs)} ms. The archived name answered ${[...archived].map((status) => status || 'by refusing the handshake').join(', ')}.`,
);
say(`${newCertificates} certificates were ordered anew.`);
process.exit(failures.length === 0 && newCertificates === 0 && !archived.has(200) ? 0 : 1);
