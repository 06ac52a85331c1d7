import { z } from 'zod';
import { sql, type Queryable } from './pool.ts';

const ServerHealth = z.object({
  version: z.string(),
  now: z.date(),
  connections: z.number(),
  max_connections: z.number(),
  size_bytes: z.number(),
});
export type ServerHealth = z.infer<typeof ServerHealth>;

/** Returns those facts about the database server that every database login may read. */
export const serverHealth = (db: Queryable): Promise<ServerHealth> =>
  db.one(sql.type(ServerHealth)`
    SELECT current_setting('server_version') AS version, clock_timestamp() AS now,
      (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
      current_setting('max_connections')::int AS max_connections,
      pg_database_size(current_database()) AS size_bytes
  `);

/** A key of CREDENTIAL_KEYS, the number of secrets that it encrypts, and the creation time of the oldest. */
const SealedBy = z.object({ key_id: z.string(), secrets: z.number(), since: z.date() });
export type SealedBy = z.infer<typeof SealedBy>;

/** Returns every key that encrypts a stored secret, the key with the oldest secret first. */
export const secretsByKey = (db: Queryable): Promise<readonly SealedBy[]> =>
  db.any(sql.type(SealedBy)`
    SELECT key_id, count(*) AS secrets, min(created_at) AS since
    FROM (
      SELECT key_id, created_at FROM credentials
      UNION ALL SELECT key_id, created_at FROM webhook_endpoints
      UNION ALL SELECT key_id, created_at FROM certificates
      UNION ALL SELECT key_id, created_at FROM certificate_requests
      UNION ALL SELECT key_id, created_at FROM acme_orders
      UNION ALL SELECT key_id, created_at FROM edge_secrets
      UNION ALL SELECT key_id, created_at FROM acme_accounts
    ) AS sealed
    GROUP BY key_id ORDER BY since
  `);
