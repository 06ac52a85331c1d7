import { randomUUID } from 'node:crypto';
import { Pool as PgPool } from 'pg';
import type { Config } from '../config.ts';
import { swapListeners, withdrawListeners } from '../db/edge/own-listeners.ts';
import { ListenerTable, type ConfiguredHost, type ListenerExchange } from '../net/own-listeners.ts';
import { bareHost } from '../net/safe-dial.ts';
import type { Lifecycle } from './lifecycle.ts';

interface Options {
  /** Exchanges listeners with other processes. */
  exchange: ListenerExchange & { close?(): Promise<void> };
  /** Servers that this process started, in addition to configured ones. */
  hosts?: readonly ConfiguredHost[];
  /** Called once for each outage of the exchange. */
  onError?: (error: unknown) => void;
}

/** Publishes this process's listeners and reads those of the others. */
export async function openOwnListeners(config: Config, lifecycle: Lifecycle, options: Options): Promise<ListenerTable> {
  const { exchange, hosts = [], onError = () => undefined } = options;
  let isReached = true;
  const noticing: ListenerExchange = {
    async swap(own) {
      const others = await exchange.swap(own);
      isReached = true;
      return others;
    },
    withdraw: () => exchange.withdraw(),
  };
  const table = new ListenerTable([...configuredHosts(config), ...hosts], noticing, (error) => {
    if (isReached) onError(error);
    isReached = false;
  });
  lifecycle.add('own listeners', { stop: () => table.stop().finally(() => exchange.close?.()) });
  return table.start();
}

/** Exchanges listeners through the database. */
export function databaseExchange(databaseUrl: string): ListenerExchange & { close(): Promise<void> } {
  const limits = { connectionTimeoutMillis: 2_000, query_timeout: 2_000 };
  const pool = new PgPool({ connectionString: databaseUrl, max: 1, ...limits });
  pool.on('error', () => undefined); // an idle connection broke; the next exchange opens another
  const id = randomUUID();
  return {
    swap: (own) => swapListeners(pool, id, own),
    withdraw: () => withdrawListeners(pool, id),
    close: () => pool.end(),
  };
}

/** Returns the hosts that the settings name: databases, Temporal and its UI, the API, the edge, and others. */
function configuredHosts(config: Config): ConfiguredHost[] {
  const databases = [config.DATABASE_URL, config.MIGRATION_DATABASE_URL, config.API_DATABASE_URL, config.WORKER_DATABASE_URL]; // prettier-ignore
  const sites = [config.baseUrl, config.TEMPORAL_UI_URL].flatMap((url) => (url === undefined ? [] : hostOf(url, 0)));
  return [
    ...databases.flatMap((url) => (url === undefined ? [] : hostOf(url, 5432))),
    ...(config.TEMPORAL_ADDRESS === undefined ? [] : hostOf(`tcp://${config.TEMPORAL_ADDRESS}`, 7233)),
    ...[config.EDGE_API_URL, config.EDGE_FEED_URL].flatMap((url) => (url === undefined ? [] : hostOf(url, 0))),
    ...(config.EDGE_TLS_ADDRESS === undefined ? [] : hostOf(`tcp://${config.EDGE_TLS_ADDRESS}`, 443)),
    ...sites.map((site) => ({ ...site, isSite: true })),
    ...config.OWN_HOSTS.map((host) => ({ host, port: '*' as const })),
  ];
}

/** Returns none for a Unix socket. */
export function hostOf(url: string, usualPort: number): ConfiguredHost[] {
  const { protocol, hostname, port } = URL.parse(url) ?? { protocol: '', hostname: '', port: '' };
  const ofProtocol = { 'http:': 80, 'https:': 443 }[protocol] ?? usualPort;
  return hostname === '' ? [] : [{ host: bareHost(hostname), port: Number(port || ofProtocol) }];
}

const CADDY_ADMIN_PORT = 2019;

/** Returns the ports of the Caddy next to an agent. With development defaults, `npm start` publishes them itself. */
export const edgePorts = (config: Config): number[] =>
  config.isDevelopment
    ? []
    : [
        config.EDGE_HTTP_PORT ?? 80,
        config.EDGE_HTTPS_PORT ?? 443,
        config.EDGE_METRICS_PORT,
        config.EDGE_ASK_PORT,
        Number(/:(\d+)$/.exec(config.EDGE_ADMIN)?.[1] ?? CADDY_ADMIN_PORT),
        CADDY_ADMIN_PORT,
      ];
