import type { Pool } from '../db/pool.ts';
import type { EdgeTargets } from '../domain/template.ts';
import type { InternalHandler } from '../edge/internal.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Temporal } from '../temporal/client.ts';

/** What the API works with; built once in src/main. */
export interface ApiDeps {
  pool: Pool;
  temporal: Temporal;
  edge: EdgeTargets;
  log: Logger;
  metrics: Metrics;
  /** Answers the edge before anything else sees the request. */
  internal: InternalHandler;
}
