import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../src/embedded/ports.ts';
import { startTestAuthority } from '../test/support/certificate-authority.ts';
import { loopbackAddresses } from '../test/support/fixtures/dns-port.ts';
import { EDGE_TARGET } from '../test/support/fixtures/internet-lab.ts';
import { startVisitors, type Visitors } from '../test/support/fixtures/steady-visitors.ts';
import { until } from '../test/support/until.ts';
import { median } from './support/median.ts';
import { startOrderingService } from './support/ordering-service.ts';
import { table } from './support/process-cost.ts';

/**
 * Moves running sites to the edge under load, and shows that no handshake and no request fails: once in a manual setup,
 * where the customer changes the record, and once by a cutover. Also measures the first handshake after a move, and how
 * soon a failing site is moved back. `npm run bench:cutover`.
 */
const PER_SECOND = 50;
/** TTL of the old records, in seconds. */
const TTL = 5;
const BEFORE_MS = 4_000;
const AFTER_MS = 5_000;
const FIRSTS = 7;
const WARM = 15;
const GOALS = { first: 1.2, revertMs: 10_000 + TTL * 1_000 };
/** Requests after which the old host closes a kept connection, as most hosts do. */
const KEPT_REQUESTS = 50;

const [originPort, [oldAddress = '']] = [await freePort(), loopbackAddresses(1)];
let originStatus = 200;
const origin = createServer((_request, response) => response.writeHead(originStatus).end('edge'));
await once(origin.listen(originPort, '127.0.0.1'), 'listening');
const lab = await startOrderingService(`http://127.0.0.1:${originPort}`);
const { internet, service, edge, pebble, applicationId } = lab;
const authority = await startTestAuthority();

interface Site {
  id: string;
  domain: string;
  hostname: string;
}
const domains: Omit<Site, 'id'>[] = [];
for (let n = 0; n < FIRSTS + 3; n++) {
  const domain = await internet.domain();
  domains.push({ domain, hostname: `shop.${domain}` });
}
const { key, chain: cert } = authority.issue(domains.map(({ hostname }) => hostname));
const oldHost = createHttps({ key, cert }, (_request, response) => response.end('old host'));
oldHost.maxRequestsPerSocket = KEPT_REQUESTS;
await once(oldHost.listen(edge.port, oldAddress), 'listening');

try {
  for (const { domain, hostname } of domains)
    await changeZone(domain, [{ name: hostname, type: 'A', values: [oldAddress] }]);
  const [manual, byCutover, failing, ...quiet] = domains as [Site, Site, Site, ...Site[]];
  const prepared = [manual, ...quiet];
  await Promise.all(prepared.map(delegate));
  const failures = await moveUnderLoad('the customer changes the record', manual, () => pointHere(manual));
  const isFast = await firstHandshakes(quiet);

  await lab.giveCredential();
  await Promise.all([byCutover, failing].map(hold));
  const alsoFailed = await moveUnderLoad('a cutover moves the site', byCutover, () => startCutover(byCutover));
  const isBackSoon = await revert(failing);
  process.exitCode = failures + alsoFailed === 0 && isFast && isBackSoon ? 0 : 1;
} finally {
  for (const server of [origin, oldHost]) {
    server.closeAllConnections();
    server.close();
  }
  await lab.stop();
}

/** Replaces record sets in one change, so that the hostname is never without a record. */
async function changeZone(domain: string, sets: { name: string; type: string; values: string[] }[]): Promise<void> {
  const rrsets = sets.map(({ name, type, values }) => ({
    name: `${name}.`,
    type,
    ttl: TTL,
    changetype: values.length > 0 ? 'REPLACE' : 'DELETE',
    records: values.map((content) => ({ content, disabled: false })),
  }));
  const url = `${lab.providerUrl}/api/v1/servers/localhost/zones/${domain}.`;
  const init = {
    method: 'PATCH',
    headers: { 'x-api-key': internet.powerdns.apiKey },
    body: JSON.stringify({ rrsets }),
  };
  const { ok, status } = await fetch(url, init);
  if (!ok) throw new Error(`PowerDNS answered ${status}.`);
}

function pointHere({ domain, hostname }: Site): Promise<void> {
  return changeZone(domain, [
    { name: hostname, type: 'A', values: [] },
    { name: hostname, type: 'CNAME', values: [`${EDGE_TARGET}.`] },
  ]);
}

async function create(site: Site, more: object): Promise<void> {
  const body = { application_id: applicationId, hostname: site.hostname, before_dns: true, ...more };
  const made = await service.call('POST', '/connections', body);
  if (made.status !== 201) throw new Error(`${site.hostname} was refused: ${JSON.stringify(made.body)}`);
  site.id = String(made.body['id']);
}

interface Detail {
  ready_to_point: boolean | null;
  ownership_challenge: { name: string; value: string };
  records_to_add: { host: string; type: string; value: string }[];
}
async function detailOf({ id }: Site): Promise<Detail> {
  return (await service.call('GET', `/connections/${id}`)).body as unknown as Detail;
}
function untilReady(site: Site): Promise<void> {
  return until(async () => (await detailOf(site)).ready_to_point === true, 120_000);
}

/** Prepares a manual setup: the customer publishes the proof and delegates the challenge. */
async function delegate(site: Site): Promise<void> {
  await create(site, {});
  const { ownership_challenge: proof, records_to_add } = await detailOf(site);
  const delegation = records_to_add.find(({ host }) => host.startsWith('_acme-challenge.'))!;
  await changeZone(site.domain, [
    { name: proof.name, type: 'TXT', values: [`"${proof.value}"`] },
    { name: delegation.host, type: 'CNAME', values: [`${delegation.value}.`] },
  ]);
  await untilReady(site);
}

async function hold(site: Site): Promise<void> {
  await create(site, { point: 'hold' });
  await untilReady(site);
}

async function startCutover({ id }: Site): Promise<void> {
  const { status, body } = await service.call('POST', `/connections/${id}/cutover`, { observe_for: 30 });
  if (status !== 202) throw new Error(`The cutover was refused: ${JSON.stringify(body)}`);
}

/** Moves a site while visitors request it, prints what they saw, and returns how many requests failed. */
async function moveUnderLoad(how: string, { hostname }: Site, move: () => Promise<void>): Promise<number> {
  const ca = [readFileSync(authority.rootFile, 'utf8'), pebble.root];
  const visitors = startVisitors({ hostnames: [hostname], port: edge.port, ca, dns: internet.recursor }, PER_SECOND);
  const rows = [['', 'old host', 'edge', 'failed']];
  let seen = { old: 0, edge: 0, failed: 0 };
  const phase = (title: string): void => {
    const now = countsOf(visitors);
    rows.push([title, String(now.old - seen.old), String(now.edge - seen.edge), String(now.failed - seen.failed)]);
    seen = now;
  };
  await pause(BEFORE_MS);
  phase('requests before the move');
  await move();
  await until(() => countsOf(visitors).edge > 0, 60_000);
  // Every cache and every kept connection has ended by then.
  await pause(TTL * 1_000 + (2 * KEPT_REQUESTS * 1_000) / (PER_SECOND / 2 / 4));
  phase('during the move');
  await pause(AFTER_MS);
  await visitors.stop();
  phase('after the move');
  table(`${PER_SECOND} requests a second while ${how}`, rows);
  for (const [kind, count] of visitors.failures) process.stdout.write(`  failed: ${kind}: ${count}\n`);
  return seen.failed;
}

function countsOf({ answered, failures }: Visitors) {
  const failed = [...failures.values()].reduce((total, count) => total + count, 0);
  return { old: answered.get('old host') ?? 0, edge: answered.get('edge') ?? 0, failed };
}

/** Moves sites, and compares the first handshake of each with later ones. Returns whether the goal is met. */
async function firstHandshakes(sites: Site[]): Promise<boolean> {
  const firsts: number[] = [];
  const warm: number[] = [];
  for (const site of sites) {
    await pointHere(site);
    firsts.push(await handshake(site.hostname));
    const later: number[] = [];
    for (let n = 0; n < WARM; n++) later.push(await handshake(site.hostname));
    warm.push(median(later));
  }
  const ratio = median(firsts) / median(warm);
  table(`The first handshake after the move, medians of ${sites.length} sites`, [
    ['first', 'warm', 'ratio', 'goal'],
    [`${median(firsts).toFixed(1)} ms`, `${median(warm).toFixed(1)} ms`, ratio.toFixed(2), `≤ ${GOALS.first}`],
  ]);
  return ratio <= GOALS.first;
}

async function handshake(hostname: string): Promise<number> {
  const began = performance.now();
  const socket = connect({ host: edge.address, port: edge.port, servername: hostname, ca: pebble.root });
  await once(socket, 'secureConnect');
  const took = performance.now() - began;
  socket.destroy();
  await pause(20);
  return took;
}

interface Cutover {
  state: string;
  ended_at: string | null;
  probes: { at: string; verdict: string }[];
}

/** Lets a site fail after its move, and prints when its old record is back. Returns whether the goal is met. */
async function revert(site: Site): Promise<boolean> {
  await startCutover(site);
  const cutover = async (): Promise<Cutover> =>
    (await service.call('GET', `/connections/${site.id}/cutover`)).body as unknown as Cutover;
  const zone = () => internet.powerdns.dump(site.domain);
  await until(async () => (await zone()).some((line) => line.includes(EDGE_TARGET)), 60_000);
  await until(async () => (await cutover()).probes.at(-1)?.verdict === 'ok', 30_000);
  originStatus = 500;
  await until(async () => (await zone()).some((line) => line.includes(`"${oldAddress}"`)), 60_000);
  const back = Date.now();
  await until(async () => (await cutover()).ended_at !== null, 60_000);
  const { state, probes } = await cutover();
  const third = probes.filter(({ verdict }) => verdict === 'failed')[2];
  const took = back - Date.parse(third?.at ?? '');
  table('A site that fails after its move', [
    ['state', 'old record back, after the third failed probe', 'goal'],
    [state, `${(took / 1_000).toFixed(1)} s`, `≤ ${GOALS.revertMs / 1_000} s`],
  ]);
  return state === 'reverted' && took <= GOALS.revertMs;
}
