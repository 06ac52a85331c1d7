import { getApplication } from '../../db/tenant/applications.ts';
import {
  getBatch,
  listBatches,
  listBatchRows,
  type BatchRowDetail,
  type ListedBatch,
} from '../../db/connection/batches.ts';
import { presentBatch } from '../../domain/connection/batch.ts';
import { makeBatch, type MadeRow } from '../batches.ts';
import { reach, reachApplication } from '../caller.ts';
import { undialableOrigins } from '../own-routes.ts';
import { pager } from '../cursor.ts';
import { environmentsFor } from '../environments.ts';
import { presentChallenge } from '../present.ts';
import { route } from '../route.ts';
import { Batch, BatchCreated, BatchList, BatchListQuery, BatchQuery, CreateBatch } from '../schemas/batches.ts';
import { Id } from '../schemas/common.ts';

const create = route({
  method: 'post',
  path: '/batches',
  summary: 'Connect up to a thousand domains. Returns a result for each.',
  needs: ['connections:write'],
  idempotent: { secrets: [] },
  bodyLimitKb: 512,
  body: CreateBatch,
  replies: { 201: BatchCreated },
  errors: ['not_found'],
  prepare: ({ body, deps }) =>
    undialableOrigins(
      body.hostnames.filter((entry) => typeof entry !== 'string'),
      deps,
    ),
  async handle({ caller, body, tx, deps, now, prepared: undialable }) {
    const application = reachApplication(caller, await getApplication(tx, body.application_id));
    const entries = body.hostnames.map((entry) => {
      if (typeof entry === 'string') return { hostname: entry, external_id: null };
      const { hostname, external_id = null, serve = true, variables = {}, ...given } = entry;
      return { hostname, external_id, serve, variables, given };
    });
    const { edge, upgradeUrl, ownHosts, delegation } = deps;
    const request = { caller, application, entries, edge, upgradeUrl, ownHosts, delegation, undialable, now };
    const { batch, rows } = await makeBatch(tx, request);
    return { status: 201, body: { ...presentBatch(batch), rows: rows.map(presentMade) } };
  },
});

const list = route({
  method: 'get',
  path: '/batches',
  summary: 'List batches, newest first',
  needs: ['connections:read'],
  query: BatchListQuery,
  replies: { 200: BatchList },
  errors: [],
  async handle({ caller, query, tx, deps }) {
    const pages = pager(deps.keys.signedState, caller.tenantId, 'batches');
    const page = pages.request(query, 20);
    const filter = { environments: environmentsFor(caller, query), application_id: query.application_id };
    return { status: 200, body: pages.answer(await listBatches(tx, filter, page), page, presentListed) };
  },
});

const get = route({
  method: 'get',
  path: '/batches/{id}',
  summary: 'Retrieve the progress of a batch, and its failed rows',
  needs: ['connections:read'],
  params: Id,
  query: BatchQuery,
  replies: { 200: Batch },
  errors: ['not_found'],
  async handle({ caller, params, query, tx, deps }) {
    const batch = reach(caller, await getBatch(tx, params.id));
    const pages = pager(deps.keys.signedState, caller.tenantId, `failures of batch ${batch.id}`);
    const page = pages.request(query, 20);
    const rows = await listBatchRows(tx, batch.id, { which: 'failed', page });
    return { status: 200, body: { ...presentBatch(batch), failures: pages.answer(rows, page, presentFailure) } };
  },
});

export const batchRoutes = [create, list, get];

const presentListed = ({
  id,
  application_id,
  environment,
  created_at,
  completed_at,
  total,
  unsettled,
}: ListedBatch) => ({
  batch_id: id,
  application_id,
  environment,
  created_at: created_at.toISOString(),
  completed_at: completed_at?.toISOString() ?? null,
  total,
  unsettled,
});

const presentMade = (
  { hostname, external_id, result, connection_id, problem, connection }: MadeRow,
  index: number,
) => ({
  row: index + 1,
  hostname,
  external_id,
  result,
  connection_id,
  problem,
  ownership_challenge: connection && presentChallenge(connection),
});

const presentFailure = (row: BatchRowDetail) => ({
  row: row.position,
  hostname: row.hostname,
  external_id: row.external_id,
  result: row.result,
  connection_id: row.connection_id,
  problem: row.problem,
  state: row.state,
  error_code: row.error_code,
});
