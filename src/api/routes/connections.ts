import { getApplication, type ApplicationRow } from '../../db/applications.ts';
import { findConnectionDetail } from '../../db/connection-detail.ts';
import {
  archiveConnection,
  createConnection,
  findHolder,
  findUnproved,
  listConnections,
  lockConnection,
} from '../../db/connections.ts';
import type { Tx } from '../../db/pool.ts';
import { touchConnection } from '../../db/touches.ts';
import { kindOf, publicSuffix, registrableDomain } from '../../dns/suffix.ts';
import { presentConnection } from '../../domain/connection-resource.ts';
import { invalid, ServiceError } from '../../domain/errors.ts';
import { normalizeHostname } from '../../domain/hostname.ts';
import { nextPollSeconds } from '../../domain/next-poll.ts';
import { desiredRecords, templateMisfit } from '../../domain/template.ts';
import { untilEveryCopyKnows } from '../../edge/barrier.ts';
import { environmentsOf, reachApplication, reach, type Caller } from '../caller.ts';
import { pager } from '../cursor.ts';
import type { ApiDeps } from '../deps.ts';
import { etagOf } from '../etag.ts';
import { hostnameConflict } from '../hostname-conflict.ts';
import { connectableHostname } from '../hostnames.ts';
import { presentCreated, presentDetail } from '../present.ts';
import { findingRoute, route, type Reply } from '../route.ts';
import { Id, Nothing } from '../schemas/common.ts';
import {
  Connection,
  ConnectionCreated,
  ConnectionDetail,
  ConnectionList,
  ConnectionQuery,
  CreateConnection,
} from '../schemas/connections.ts';

const create = route({
  method: 'post',
  path: '/connections',
  summary: 'Start connecting a domain, or go on with one that waits for its proof',
  needs: ['connections:write'],
  widget: { applicationId: (body) => body.application_id, hostname: (body) => body.hostname },
  idempotent: { secrets: [] },
  params: Nothing,
  query: Nothing,
  body: CreateConnection,
  replies: { 200: ConnectionCreated, 201: ConnectionCreated },
  errors: ['not_found', 'HostnameConflict'],
  async handle({ caller, body, tx, deps, now }) {
    const application = reachApplication(caller, await getApplication(tx, body.application_id));
    const hostname = connectableHostname(body.hostname, 'body.hostname', application.environment, deps.ownHosts);
    return connect(tx, { caller, application, hostname, external_id: externalIdOf(caller, body), deps, now });
  },
});

const list = route({
  method: 'get',
  path: '/connections',
  summary: 'List connections, newest first',
  needs: ['connections:read'],
  params: Nothing,
  query: ConnectionQuery,
  body: Nothing,
  replies: { 200: ConnectionList },
  errors: [],
  async handle({ caller, query: { cursor, limit, hostname, ...filter }, tx, deps }) {
    const pages = pager(deps.keys.cursors, caller.tenantId, 'connections');
    const page = pages.request({ cursor, limit }, 20);
    const rows = await listConnections(
      tx,
      {
        ...filter,
        environments: environmentsOf(caller),
        hostname: hostname === undefined ? undefined : canonicalName(hostname),
      },
      page,
    );
    return { status: 200, body: pages.answer(rows, page, presentConnection) };
  },
});

const get = findingRoute({
  method: 'get',
  path: '/connections/{id}',
  summary: 'Read a connection with its records, certificate, findings and timeline',
  needs: ['connections:read'],
  widget: {},
  params: Id,
  query: Nothing,
  body: Nothing,
  replies: { 200: ConnectionDetail },
  errors: ['not_found'],
  polled: true,
  find: (params) => findConnectionDetail(params.id),
  handle({ caller, found, now }) {
    const row = reach(caller, found);
    const body = presentDetail(row, now);
    const retryAfterSeconds = nextPollSeconds(row.state, row.next_check_at, now);
    return { status: 200, body, etag: etagOf(body), retryAfterSeconds };
  },
});

const archive = route({
  method: 'delete',
  path: '/connections/{id}',
  summary: 'Offboard a domain: free its hostname and remove what we wrote',
  needs: ['connections:write'],
  params: Id,
  query: Nothing,
  body: Nothing,
  replies: { 200: Connection },
  errors: ['not_found'],
  async handle({ caller, params, tx, now }) {
    const row = reach(caller, await lockConnection(tx, params.id));
    return { status: 200, body: presentConnection(await archiveConnection(tx, row, now)) };
  },
  afterCommit: ({ params, deps }) => untilEveryCopyKnows(deps.pool, { connectionId: params.id }),
});

export const connectionRoutes = [create, list, get, archive];

interface Wish {
  caller: Caller;
  application: ApplicationRow;
  hostname: string;
  external_id: string | null;
  deps: ApiDeps;
  now: Date;
}

/**
 * A browser's external id stands in its token, where the tenant's backend put it: a customer who could choose it would
 * prepare connections in another customer's name.
 */
function externalIdOf({ credential }: Caller, body: { external_id?: string | null }): string | null {
  if (credential.kind === 'key') return body.external_id ?? null;
  if (body.external_id !== undefined) {
    const message = 'body.external_id: a widget token carries it; give it to POST /v1/tokens.';
    throw invalid([{ path: 'body.external_id', code: 'widget_token', message }]);
  }
  return credential.externalId;
}

/** Requests for one name may race; the second finds what the first made, as if it had come later. */
const ATTEMPTS = 3;

async function connect(tx: Tx, wish: Wish, attempt = 1): Promise<Reply> {
  const { application, hostname, external_id, now } = wish;
  const { held, own } = await findHolder(tx, hostname, now);
  if (held) throw hostnameConflict(wish.caller, hostname, own);
  const waiting = await findUnproved(tx, { application_id: application.id, hostname, external_id });
  if (waiting) {
    await touchConnection(tx, waiting, now);
    return { status: 200, body: presentCreated(waiting) };
  }
  const row = await createConnection(tx, newConnection(wish));
  if (row !== null) return { status: 201, body: presentCreated(row) };
  if (attempt === ATTEMPTS)
    throw new ServiceError('unavailable', 'Other requests are connecting the same name. Try again.', {
      retryAfterSeconds: 1,
    });
  return connect(tx, wish, attempt + 1);
}

function newConnection({ application, hostname, external_id, deps, now }: Wish) {
  const kind = kindOf(hostname);
  const subject = { hostname, kind, domain: registrableDomain(hostname), suffix: publicSuffix(hostname) };
  const recordsOf = (connectionId: string) =>
    desiredRecords(application.record_template, { ...subject, connectionId }, deps.edge);
  // Ids are all of one length, so what fits one connection fits every other of this hostname.
  const misfit = templateMisfit(recordsOf(application.id), subject);
  if (misfit !== null) throw invalid([{ path: 'body.hostname', ...misfit }]);
  return {
    tenant_id: application.tenant_id,
    application_id: application.id,
    environment: application.environment,
    hostname,
    kind,
    external_id,
    desired_records: recordsOf,
    now,
  } as const;
}

/** A filter that is no host name matches nothing, as it stands. */
function canonicalName(text: string): string {
  const result = normalizeHostname(text, { test: true });
  return result.ok ? result.hostname : text;
}
