import { join, resolve } from 'node:path';
import { Router } from 'express';
import { parseConfig, readEnvironment, type Config } from '../config.ts';
import { ensureDatabase } from '../db/migrate.ts';
import { claimRun, type Run } from '../embedded/orphans.ts';
import { cacheDir, defaultDataDir } from '../embedded/folders.ts';
import { freePort, isListening } from '../embedded/ports.ts';
import { startPostgres } from '../embedded/postgres.ts';
import { obtainServer } from '../embedded/servers.ts';
import { startTemporal } from '../embedded/temporal.ts';
import { PortTaken } from '../api/listener.ts';
import { SharedChanges } from '../edge/shared-changes.ts';
import { createLog } from '../log.ts';
import { isAllowedAddress, LOOPBACK_NETWORKS, networkText, PRIVATE_NETWORKS } from '../net/address.ts';
import type { ListenerTable } from '../net/own-listeners.ts';
import { SHARE, StepSemaphore } from '../net/step-semaphore.ts';
import { searchAttributeTypes } from '../temporal/search-attributes.ts';
import { prepareDatabase, registerOwnEdge, type DatabaseSettings } from './database.ts';
import { demoTenant, guardedStartBlock, startBlock, writeDemo, type Addresses } from './demo.ts';
import { demoPages } from './demo-pages.ts';
import { startDemoOrigin } from './demo-origin.ts';
import { startDemoReceiver } from './demo-receiver.ts';
import { defaultPlan } from './default-plan.ts';
import { runFeed } from './feed.ts';
import { startEdge } from './own-edge.ts';
import { openApiGraph } from './api-graph.ts';
import { openCore } from './core.ts';
import { openWorkerGraph } from './worker-graph.ts';
import { localKeys, type LocalKeys } from './local-keys.ts';
import { Lifecycle, STOP_SIGNALS, untilStopped } from './lifecycle.ts';
import { databaseExchange, hostOf, openOwnListeners } from './own-listeners.ts';
import { runApi, runWorker } from './parts.ts';
import { sentenceOf } from './process.ts';
import { providerUrls } from './provider-urls.ts';
import { settle } from './settle.ts';
import { temporalPages } from './temporal-pages.ts';
import { openTraces } from './traces.ts';
import { usualPorts } from './usual-ports.ts';

/** Runs everything on one machine without prior installation: `npm start`. */

const lifecycle = new Lifecycle();
const began = performance.now();
const onProgress = (line: string): void => void process.stdout.write(`${line}\n`);
const childDied = Promise.withResolvers<string>();

interface DataFolder {
  dataDir: string;
  run: Run;
  kept: LocalKeys;
  ports: Awaited<ReturnType<typeof usualPorts>>;
}

async function start(): Promise<void> {
  const given = readEnvironment();
  const place = await openDataFolder(given['DATA_DIR']);
  const withKeys = { ...place.kept, ...given };
  const settled = await settle(withKeys, { isAllInOne: true, usualPort: place.ports.internal });
  const env: NodeJS.ProcessEnv = { ...developmentDefaults(settled), ...withKeys, ...internalPortOf(settled) };
  const config = parseConfig(env, { internalHost: settled.internalHost });
  await openTraces(env, config, 'service', lifecycle);
  providerUrls(env); // refuses wrong settings before anything starts
  await place.ports.remember(settled.INTERNAL_PORT === undefined ? {} : { internal: settled.INTERNAL_PORT });
  if (await isListening(config.PORT)) throw new PortTaken(config.PORT);

  const [logins, temporal] = await Promise.all([database(config, place), temporalServer(config, place)]);
  onProgress('Preparing the database …');
  const urls = await prepareDatabase(logins);
  await registerOwnEdge(urls.worker, config);
  const own = await openOwnListeners(config, lifecycle, {
    exchange: databaseExchange(urls.api),
    hosts: [...hostOf(urls.api, 5432), ...hostOf(`tcp://${temporal.address}`, 7233)],
  });
  own.listensOn(config.PORT, ...[config.INTERNAL_PORT ?? []].flat(), ...temporal.ports);
  await own.refresh(); // the agent reads it when it starts
  const changes = new SharedChanges(urls.api); // the feed and the API use one connection
  const edge = await startEdge(
    config,
    place.dataDir,
    { onProgress, onUnexpectedExit: childDied.resolve, usualPorts: [place.ports.edge_http, place.ports.edge_https] },
    {
      feed: () => ownFeed(config, urls.api, changes, own, place),
      settings: env,
      onStart: (name, pid) => place.run.add({ name, pid, signal: 'SIGTERM' }),
    },
  );
  if (edge.agent) lifecycle.add('the edge agent', edge.agent);
  if (edge.child) lifecycle.add('the edge', edge.child);
  if (edge.child) await place.ports.remember({ edge_http: edge.child.httpPort, edge_https: edge.child.httpsPort });
  if (edge.child) own.listensOn(...edge.child.ports);
  if (edge.agent) own.listensOn(...edge.agent.ports);
  if (edge.child) await place.run.add({ name: 'the edge', pid: edge.child.pid, signal: 'SIGTERM' });
  // Without an edge of our own, hostnames go live as soon as their records are published.
  const served: Config = edge.inReach === null && config.EDGE === 'internal' ? { ...config, EDGE: 'off' } : config;
  const temporalEnv = { ...env, TEMPORAL_ADDRESS: temporal.address };
  const core = openCore(served, temporalEnv, 'service', own);
  lifecycle.add('clients', { stop: () => core.close() });
  // Requests and steps share this process, so the steps of one tenant leave time for the requests of others.
  const turns = new StepSemaphore(SHARE.withApi);
  const graph = await openWorkerGraph(core, urls.worker, { edgeInReach: edge.inReach, turns });
  lifecycle.add("the worker's connections", { stop: () => graph.close() });
  const api = await openApiGraph(core, urls.api);
  lifecycle.add("the API's connections", { stop: () => api.close() });

  const addresses: Addresses = {
    base_url: config.baseUrl,
    internal_url: config.internalUrl,
    temporal_address: temporal.address,
    temporal_ui_url: config.TEMPORAL_UI_URL ?? temporal.uiUrl,
    edge_https_url: edge.httpsUrl,
    edge_ca_file: edge.inReach?.caFile ?? null,
  };
  await place.run.announce({
    database_url: logins.MIGRATION_DATABASE_URL ?? urls.worker,
    temporal_address: temporal.address,
  });
  const tenant = await demoTenant(graph.pool, place.dataDir, await defaultPlan(graph.pool, config));
  if (edge.inReach !== null && isAllowedAddress(LOOPBACK, config.ORIGIN_ALLOW_PRIVATE))
    lifecycle.add('demo origin', await startDemoOrigin(graph.pool, tenant.test.application_id, place.dataDir));
  if (isAllowedAddress(LOOPBACK, config.WEBHOOK_ALLOW_PRIVATE)) {
    const parts = { pool: graph.pool, vault: graph.vault, tenant, dataDir: place.dataDir, print: onProgress };
    lifecycle.add('demo receiver', await startDemoReceiver(parts));
  }
  await writeDemo(place.dataDir, addresses, tenant);
  onProgress('Starting the API and the worker …');
  const { temporal_ui_url: uiUrl } = addresses;
  const ui = uiUrl === null ? [] : [{ url: uiUrl, namespace: core.temporal.namespace, tenant: tenant.tenant_id }];
  const pages = async () => Router().use(await demoPages(graph, tenant), ...ui.map(temporalPages));
  // A developer finds everything on PORT, unless INTERNAL_PORT names a listener for internal paths.
  const operational = given['INTERNAL_PORT'] === undefined;
  // The API comes first, because it accepts requests while Temporal is down and the worker waits.
  await runApi(
    { ...api, api: { ...api.api, noteCaller: (caller) => turns.note(caller) } },
    lifecycle,
    config.isDevelopment ? { demo: await pages(), demoKey: tenant.test.key, operational } : {},
    changes,
  );
  const worker = await runWorker(graph, lifecycle, cacheDir());
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const block = config.isDevelopment
    ? startBlock(addresses, tenant, config)
    : guardedStartBlock(addresses, place.dataDir);
  onProgress(`Ready after ${seconds} s.\n${block}`);

  for (const signal of STOP_SIGNALS) process.off(signal, stopEarly);
  const end = await untilStopped(Promise.race([worker.died, childDied.promise]));
  onProgress('died' in end ? end.died : 'Stopping …');
  await lifecycle.stop(core.log);
  process.exitCode = 'died' in end ? 1 : 0;
}

/** Feeds the edge of this machine, on the loopback address. */
async function ownFeed(
  config: Config,
  databaseUrl: string,
  changes: SharedChanges,
  own: ListenerTable,
  { ports }: DataFolder,
): Promise<string> {
  const port = await freePort(ports.feed);
  const log = createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, name: 'feed' });
  await runFeed(config, databaseUrl, { host: LOOPBACK, port }, log, lifecycle, changes);
  own.listensOn(port);
  await ports.remember({ feed: port });
  return `http://${LOOPBACK}:${port}`;
}

/** Handles a signal before everything runs. Running parts stop in order; the rest ends with this process. */
function stopEarly(): void {
  if (lifecycle.isStopping) return;
  onProgress('Stopping …');
  void lifecycle.stop().finally(() => process.exit(0));
}

async function openDataFolder(folder: string | undefined): Promise<DataFolder> {
  const dataDir = resolve(folder ?? defaultDataDir());
  const run = await claimRun(dataDir, onProgress);
  lifecycle.add('run record', { stop: () => run.release() });
  return { dataDir, run, kept: await localKeys(dataDir), ports: await usualPorts(dataDir) };
}

const LOOPBACK = '127.0.0.1';
const DEVELOPERS_NETWORKS = [...PRIVATE_NETWORKS, ...LOOPBACK_NETWORKS].map(networkText).join();

/** On a developer's machine, receivers and origins are local. */
const developmentDefaults = ({ isDevelopment }: Config): Record<string, string> =>
  isDevelopment ? { WEBHOOK_ALLOW_PRIVATE: DEVELOPERS_NETWORKS, ORIGIN_ALLOW_PRIVATE: DEVELOPERS_NETWORKS } : {};

const internalPortOf = ({ INTERNAL_PORT }: Config): Record<string, string> =>
  INTERNAL_PORT === undefined ? {} : { INTERNAL_PORT: String(INTERNAL_PORT) };

/** Returns the operator's database, or our own with separate logins for API and worker. */
async function database(config: Config, { dataDir, run, kept }: DataFolder): Promise<DatabaseSettings> {
  if (config.DATABASE_URL !== undefined) return config;
  const postgres = await startPostgres({
    dataDir: join(dataDir, 'postgres'),
    cacheDir: cacheDir(),
    password: kept.postgres_password,
    onProgress,
    onUnexpectedExit: childDied.resolve,
  });
  lifecycle.add('Postgres', postgres);
  await run.add({ name: 'Postgres', pid: postgres.pid, signal: 'SIGINT' });
  const owner = await ensureDatabase(postgres.url, 'service');
  return {
    DATABASE_URL: undefined,
    MIGRATION_DATABASE_URL: owner,
    API_DATABASE_URL: loginUrl(owner, 'svc_api_login', kept.api_password),
    WORKER_DATABASE_URL: loginUrl(owner, 'svc_worker_login', kept.worker_password),
  };
}

function loginUrl(database: string, name: string, password: string): string {
  const url = new URL(database);
  url.username = name;
  url.password = password;
  return url.href;
}

async function temporalServer(
  config: Config,
  { dataDir, run, ports }: DataFolder,
): Promise<{ address: string; uiUrl: string | null; ports: readonly number[] }> {
  if (config.TEMPORAL_ADDRESS !== undefined) return { address: config.TEMPORAL_ADDRESS, uiUrl: null, ports: [] };
  const temporal = await startTemporal({
    executable: await obtainServer('temporal', { onProgress }),
    dbFile: join(dataDir, 'temporal.db'),
    ...(ports.temporal === undefined ? {} : { port: ports.temporal }),
    ...(ports.temporal_ui === undefined ? {} : { uiPort: ports.temporal_ui }),
    searchAttributes: searchAttributeTypes(),
    dynamicConfig: { 'matching.enableFairness': true },
    onProgress,
    onUnexpectedExit: childDied.resolve,
  });
  lifecycle.add('Temporal', temporal);
  await run.add({ name: 'Temporal', pid: temporal.pid, signal: 'SIGTERM' });
  await ports.remember({ temporal: portOf(temporal.address), temporal_ui: portOf(temporal.uiUrl) });
  return temporal;
}

const portOf = (address: string): number => Number(address.split(':').at(-1));

for (const signal of STOP_SIGNALS) process.on(signal, stopEarly);
try {
  await start();
} catch (error) {
  // Errors during shutdown are expected: Postgres and Temporal stop first.
  process.exitCode = lifecycle.isStopping ? 0 : 1;
  if (!lifecycle.isStopping) console.error(sentenceOf(error));
  await lifecycle.stop();
}
