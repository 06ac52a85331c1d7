import type { RequestHandler } from 'express';
import { answers } from '../db/pool.ts';
import { answers as temporalAnswers } from '../temporal/client.ts';
import type { ApiDeps } from './deps.ts';

/** A load balancer that asks after our health gives up within seconds, and must have heard before. */
const DEADLINE_MS = 1_500;

/**
 * Without the database nothing can be answered. While all connections of the pool are in use, what needs a transaction is
 * refused and the rest is answered; without Temporal everything can be accepted, and happens later.
 */
export const health =
  ({ callers, pool, temporal }: ApiDeps): RequestHandler =>
  async (_request, response) => {
    const [database, transactions, workflows] = await Promise.all([
      works(Promise.race([callers.databaseAnswers(), late()])),
      works(Promise.race([answers(pool), late()])),
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

const late = (): Promise<never> =>
  new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error('No answer in time.')), DEADLINE_MS).unref();
  });

const works = (attempt: Promise<unknown>): Promise<boolean> =>
  attempt.then(
    () => true,
    () => false,
  );
