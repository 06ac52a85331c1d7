import { randomBytes } from 'node:crypto';
import { createActivities, type Activities } from '../../activities/index.ts';
import type { ApiDeps } from '../api/deps.ts';
import { ownHosts } from '../api/own-hosts.ts';
import type { Keyring } from '../api/signed.ts';
import type { Config } from '../config.ts';
import { Callers } from '../db/callers.ts';
import type { ConnectionRow } from '../db/connection-row.ts';
import { createPool, type Pool } from '../db/pool.ts';
import type { Certificates } from '../domain/certificate.ts';
import type { Eyes } from '../domain/look.ts';
import { createLog, type Logger } from '../log.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import { sandboxCertificates } from '../sandbox/certificates.ts';
import { isSandboxName, sandboxEyes } from '../sandbox/eyes.ts';
import { openTemporal, type Temporal } from '../temporal/client.ts';

/** Everything a process of ours is made of. Opening it connects to nothing that must be there yet. */
export interface Graph {
  config: Config;
  databaseUrl: string;
  log: Logger;
  metrics: Metrics;
  pool: Pool;
  temporal: Temporal;
  api: ApiDeps;
  activities: Activities;
  close(): Promise<void>;
}

export async function openGraph(
  config: Config,
  databaseUrl: string,
  env: NodeJS.ProcessEnv,
  name: string,
): Promise<Graph> {
  const log = createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, name });
  const metrics = createMetrics();
  const pool = await createPool(databaseUrl, { max: config.DATABASE_POOL, name });
  pool.on('error', (error) => log.warn({ err: error }, 'A database connection broke.'));
  const callers = new Callers(databaseUrl, {
    max: config.DATABASE_POOL,
    onError: (error) => log.warn({ err: error }, 'A database connection broke.'),
  });
  const temporal = openTemporal(env, config.TEMPORAL_TASK_QUEUE);
  const edge = { cnameTarget: config.EDGE_CNAME_TARGET, ipv4: config.EDGE_IPV4, ipv6: config.EDGE_IPV6 ?? null };
  const sandbox = sandboxEyes(pool);
  return {
    config,
    databaseUrl,
    log,
    metrics,
    pool,
    temporal,
    api: apiDeps(config, { pool, callers, temporal, edge, log, metrics }),
    activities: createActivities({
      pool,
      eyesFor: (row) => (inSandbox(row) ? sandbox : noEyes),
      certificatesFor: (row) => (config.EDGE === 'off' && !inSandbox(row) ? noCertificate : sandboxCertificates),
      random: Math.random,
      noteLook: (purpose, verdict) => metrics.looks.inc({ purpose, verdict }),
    }),
    async close() {
      await temporal.connection.close();
      await Promise.all([pool.end(), callers.end()]);
    },
  };
}

type Connected = Pick<ApiDeps, 'pool' | 'callers' | 'temporal' | 'edge' | 'log' | 'metrics'>;

function apiDeps(config: Config, connected: Connected): ApiDeps {
  return {
    ...connected,
    baseUrl: config.baseUrl,
    ownHosts: ownHosts(config.baseUrl, config.EDGE_CNAME_TARGET),
    allowPrivateOrigins: config.ORIGIN_ALLOW_PRIVATE,
    keys: {
      widgetTokens: config.WIDGET_TOKEN_KEYS ?? madeUp('WIDGET_TOKEN_KEYS', connected.log),
      cursors: config.CURSOR_KEY ?? madeUp('CURSOR_KEY', connected.log),
    },
    limits: { key: config.RATE_LIMIT_KEY, widget: config.RATE_LIMIT_WIDGET, verify: config.RATE_LIMIT_VERIFY },
    providers: [],
  };
}

/** Enough to try a single process; production refuses to start without keys of its own. */
function madeUp(setting: string, log: Logger): Keyring {
  log.warn(`${setting} is not set: what this process signs is not believed by others, nor after a restart.`);
  return [{ kid: 'made-up', secret: randomBytes(32) }];
}

const inSandbox = (row: ConnectionRow): boolean => row.environment === 'test' && isSandboxName(row.hostname);

/** Placeholders of the walking skeleton: real names wait until there are real eyes. */
const noEyes: Eyes = {
  challenge: () => Promise.reject(new Error('Looking at real DNS is not built yet.')),
  records: () => Promise.reject(new Error('Looking at real DNS is not built yet.')),
};

const noCertificate: Certificates = { obtain: () => Promise.resolve({ outcome: 'not_needed' }) };
