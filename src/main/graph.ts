import { createActivities, type Activities } from '../../activities/index.ts';
import type { ApiDeps } from '../api/deps.ts';
import type { Config } from '../config.ts';
import type { ConnectionRow } from '../db/connection-row.ts';
import { createPool, type Pool } from '../db/pool.ts';
import { createLog, type Logger } from '../log.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import { isSandboxName, sandboxLookout } from '../sandbox/lookout.ts';
import { createEyes } from '../dns/eyes.ts';
import { dnsLookout } from '../dns/lookout.ts';
import { openTemporal, type Temporal } from '../temporal/client.ts';
import { certificatesBy } from './certificates.ts';
import type { EdgeInReach } from './edge.ts';

/** Everything a process of ours is made of. Opening it connects to nothing that must be there yet. */
export interface Graph {
  config: Config;
  databaseUrl: string;
  log: Logger;
  metrics: Metrics;
  pool: Pool;
  temporal: Temporal;
  api: Omit<ApiDeps, 'internal'>;
  activities: Activities;
  close(): Promise<void>;
}

export async function openGraph(
  config: Config,
  databaseUrl: string,
  env: NodeJS.ProcessEnv,
  name: string,
  edgeInReach: EdgeInReach | null,
): Promise<Graph> {
  const log = createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, name });
  const metrics = createMetrics();
  const pool = await createPool(databaseUrl, { max: config.DATABASE_POOL, name });
  const temporal = openTemporal(env, config.TEMPORAL_TASK_QUEUE);
  const edge = { cnameTarget: config.EDGE_CNAME_TARGET, ipv4: config.EDGE_IPV4, ipv6: config.EDGE_IPV6 ?? null };
  const sandbox = sandboxLookout(pool);
  const eyes = createEyes({
    resolvers: config.DNS_RESOLVERS,
    authoritativePort: config.DNS_AUTHORITATIVE_PORT,
    allowPrivate: config.DNS_ALLOW_PRIVATE,
  });
  const world = dnsLookout(eyes);
  const certificates = await certificatesBy(config, edgeInReach, pool, eyes);
  return {
    config,
    databaseUrl,
    log,
    metrics,
    pool,
    temporal,
    api: { pool, temporal, edge, log, metrics },
    activities: createActivities({
      pool,
      lookoutFor: (row) => (inSandbox(row) ? sandbox : world),
      certificatesFor: (row) => (inSandbox(row) ? certificates.sandbox : certificates.world),
      random: Math.random,
      noteLook: (purpose, verdict) => metrics.looks.inc({ purpose, verdict }),
    }),
    async close() {
      await eyes.close();
      await temporal.connection.close();
      await pool.end();
    },
  };
}

const inSandbox = (row: ConnectionRow): boolean => row.environment === 'test' && isSandboxName(row.hostname);
