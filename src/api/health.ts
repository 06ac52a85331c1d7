import type { RequestHandler } from 'express';
import { z } from 'zod';
import { sql } from '../db/pool.ts';
import { withDeadline } from '../temporal/client.ts';
import type { ApiDeps } from './deps.ts';

/** Without the database nothing can be answered; without Temporal everything can be accepted, and happens later. */
export const health =
  ({ pool, temporal }: ApiDeps): RequestHandler =>
  async (_request, response) => {
    const [database, workflows] = await Promise.all([
      works(pool.oneFirst(sql.type(z.object({ one: z.number() }))`SELECT 1 AS one`)),
      works(withDeadline(temporal, 1_500, () => temporal.connection.workflowService.getSystemInfo({}))),
    ]);
    const status = !database ? 'unavailable' : !workflows ? 'degraded' : 'ok';
    response.status(database ? 200 : 503).json({
      status,
      checks: { database: database ? 'ok' : 'unavailable', temporal: workflows ? 'ok' : 'unavailable' },
    });
  };

const works = (attempt: Promise<unknown>): Promise<boolean> =>
  attempt.then(
    () => true,
    () => false,
  );
