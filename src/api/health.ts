import type { RequestHandler } from 'express';
import { answers } from '../db/pool.ts';
import { answers as temporalAnswers } from '../temporal/client.ts';
import type { InternalDeps } from './deps.ts';

/** Shorter than the health-check timeouts of load balancers, so that they get an answer. */
const DEADLINE_MS = 1_500;

/** Reports `unavailable` without the database, `degraded` without Temporal or while the pool is exhausted. */
export const health =
  ({ callers, pool, temporal }: InternalDeps): RequestHandler =>
  async (_request, response) => {
    const [database, transactions, workflows] = await Promise.all([
      works(Promise.race([callers.databaseAnswers(), timeout()])),
      works(Promise.race([answers(pool), timeout()])),
      temporalAnswers(temporal),
    ]);
    const status = !database ? 'unavailable' : !workflows || !transactions ? 'degraded' : 'ok';
    response.status(database ? 200 : 503).json({
      status,
      checks: {
        database: !database ? 'unavailable' : transactions ? 'ok' : 'busy',
        temporal: workflows ? 'ok' : 'unavailable',
      },
    });
  };

const timeout = (): Promise<never> =>
  new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error('The database did not answer in time.')), DEADLINE_MS).unref();
  });

const works = (attempt: Promise<unknown>): Promise<boolean> =>
  attempt.then(
    () => true,
    () => false,
  );
