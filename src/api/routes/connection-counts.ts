import { readCounts, readSeries } from '../../db/connection/tenant-counts.ts';
import { countsOf, daysUntil, seriesOf } from '../../domain/connection/counts.ts';
import { environmentsFor } from '../environments.ts';
import { etagOf } from '../etag.ts';
import { route } from '../route.ts';
import { ConnectionCounts, ConnectionSeries, CountsQuery, SeriesQuery } from '../schemas/connection-counts.ts';

/** Time after which a page that shows the counts may ask again. */
const POLL_SECONDS = 5;

const counts = route({
  method: 'get',
  path: '/connections:counts',
  summary: 'Count connections by state and by what needs attention',
  needs: ['connections:read'],
  query: CountsQuery,
  replies: { 200: ConnectionCounts },
  errors: [],
  polled: true,
  async handle({ caller, query, tx }) {
    const filter = { environments: environmentsFor(caller, query), application_id: query.application_id };
    const body = countsOf(await readCounts(tx, filter));
    return { status: 200, body, etag: etagOf(body), retryAfterSeconds: POLL_SECONDS };
  },
});

const series = route({
  method: 'get',
  path: '/connections:series',
  summary: 'Count connections by day, and by their time from create to live',
  needs: ['connections:read'],
  query: SeriesQuery,
  replies: { 200: ConnectionSeries },
  errors: [],
  polled: true,
  async handle({ caller, query, tx, now }) {
    const days = daysUntil(now, query.days);
    const [first = '', last = first] = [days[0], days.at(-1)];
    const filter = { environments: environmentsFor(caller, query), application_id: query.application_id };
    const body = seriesOf(days, await readSeries(tx, filter, { first, last }));
    return { status: 200, body, etag: etagOf(body), retryAfterSeconds: POLL_SECONDS };
  },
});

export const connectionCountRoutes = [counts, series];
